"use strict";
(() => {
  const source = document.getElementById("replay-data");
  if (!source) return;
  const deals = JSON.parse(source.textContent).replays.flatMap((replay) =>
    replay.deals.map((deal) => ({ ...deal, replay }))
  );
  if (!deals.length) return;
  const $ = (id) => document.getElementById(id);
  const PAUSE = 1100;
  const PLACES = { 3: ["south", "west", "east"], 4: ["south", "west", "north", "east"] };
  const ALL = -1;
  let at = 0;
  let step = 0;
  let view = ALL;
  let timer = null;

  // Every text goes in as text: names and messages come from strangers.
  function make(tag, style, text) {
    const made = document.createElement(tag);
    if (style) made.className = style;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function named(name) {
    return make("bdi", "name", name);
  }

  function drawn(text, style = "") {
    const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    made.setAttribute("class", ("tile " + style).trim());
    if (text === null) {
      made.setAttribute("aria-hidden", "true");
      return made;
    }
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", text || "a tile, face down");
    const used = document.createElementNS("http://www.w3.org/2000/svg", "use");
    used.setAttribute("href", text ? "#t" + text.replace("-", "") : "#tback");
    made.append(used);
    return made;
  }

  const words = (text) => (text ? text.split(" ") : []);

  // What lies where after the first `count` decisions of a deal.
  function stateOf(deal, count) {
    const state = {
      hands: deal.hands.map((hand) => words(hand).map((tile) => ({ tile, gone: false }))),
      widow: deal.widow,
      discard: null,
      laid: [],
      won: deal.hands.map(() => 0),
      bids: deal.hands.map(() => null),
      last: count ? deal.steps[count - 1] : null,
      declarer: null,
      bid: "",
      trump: "",
    };
    deal.steps.slice(0, count).forEach((each, number) => {
      if (each.k === "bid" && each.c !== undefined) state.bids[each.s] = each.c;
      if (each.k === "play" && each.lead) state.laid = [];
      if (each.k === "play" && each.c) state.laid.push({ seat: each.s, tile: each.c, lead: each.lead });
      if (each.c && (each.k === "play" || each.k === "discard")) {
        const held = state.hands[each.s].find((one) => one.tile === each.c && !one.gone);
        if (held) Object.assign(held, { gone: true, now: number === count - 1 });
      }
      if (each.k === "discard" && each.c) state.discard = { seat: each.s, tile: each.c };
      if (each.gains) {
        state.hands[each.gains[0]].push({ tile: each.gains[1], gone: false });
        state.widow = "";
      }
      if (each.wins !== undefined) state.won[each.wins] += 1;
      if (each.declarer !== undefined) state.declarer = each.declarer;
      state.bid = each.bid || state.bid;
      state.trump = each.trump || state.trump;
    });
    return state;
  }

  const sees = (seat) => view === ALL || view === seat;

  function seatBox(deal, state, seat, place) {
    const box = make("section", "seat " + place);
    box.setAttribute("aria-label", deal.replay.seats[seat]);
    const last = state.last;
    if (last && last.s === seat) box.classList.add("turn");
    const plate = make("div", "plate");
    plate.append(named(deal.replay.seats[seat]));
    if (state.declarer === seat) plate.append(make("span", "said", state.bid));
    if (state.laid.length || state.won.some(Boolean)) {
      plate.append(make("span", "won", state.won[seat] + (state.won[seat] === 1 ? " trick" : " tricks")));
    }
    const hand = make("div", "hand");
    const legal = last && last.s === seat && last.legal ? words(last.legal) : null;
    for (const { tile, gone, now } of state.hands[seat]) {
      if (gone) hand.append(drawn(null, now ? "gone now" : "gone"));
      else if (!sees(seat)) hand.append(drawn(""));
      else hand.append(drawn(tile, legal && !legal.includes(tile) ? "dim" : ""));
    }
    box.append(plate, hand);
    return box;
  }

  function middle(deal, state, placeOf) {
    const box = make("div", "middle");
    const playing = state.laid.length > 0;
    deal.replay.seats.forEach((_, seat) => {
      const laid = make("div", "laid " + placeOf(seat));
      const mine = state.laid.find((each) => each.seat === seat);
      if (mine) {
        laid.append(drawn(mine.tile));
        const took = state.last && state.last.wins === seat;
        if (took) laid.classList.add("took");
        laid.append(make("span", "tag", took ? "takes it" : mine.lead ? "leads" : ""));
      } else if (!playing && state.declarer === null && state.bids[seat] !== null) {
        laid.append(make("span", state.bids[seat] === "pass" ? "word pass" : "word", state.bids[seat]));
      }
      box.append(laid);
    });
    if (state.widow) box.append(besides("widow", state.widow, view === ALL));
    if (state.discard) {
      box.append(besides("discard", state.discard.tile, sees(state.discard.seat), "right"));
    }
    return box;
  }

  function besides(label, tile, open, style = "") {
    const box = make("div", ("aside " + style).trim());
    box.append(drawn(open ? tile : ""), make("span", "", label));
    return box;
  }

  function drawStage(deal, state) {
    const places = PLACES[deal.replay.seats.length];
    const turn = Math.max(view, 0);
    const placeOf = (seat) => places[(seat - turn + places.length) % places.length];
    const order = [...places.keys()].map((k) => (k + turn) % places.length);
    $("stage").className = "stage " + (places.length === 4 ? "four" : "three");
    $("stage").replaceChildren(
      ...order.map((seat) => seatBox(deal, state, seat, placeOf(seat))),
      middle(deal, state, placeOf)
    );
  }

  function drawHead(deal, state) {
    $("player-title").textContent =
      (deal.replay.title ? deal.replay.title + ", deal " : "Deal ") + deal.n;
    const contract = $("contract");
    contract.replaceChildren();
    if (state.declarer !== null) {
      contract.append(named(deal.replay.seats[state.declarer]), " bids " + state.bid);
      if (state.trump) contract.append(state.trump === "no trump" ? ", no trump" : ", trump " + state.trump);
    }
    const over = step === deal.steps.length && deal.points;
    $("scores").replaceChildren(
      ...deal.replay.sides.map((seats, side) => {
        const line = make("li");
        seats.forEach((seat, number) => line.append(number ? " + " : "", named(deal.replay.seats[seat])));
        if (deal.before.length) {
          line.append(" ", make("b", "", String(deal.before[side] + (over ? deal.points[side] : 0))));
        }
        if (over) {
          const points = deal.points[side];
          line.append(" ", make("span", points < 0 ? "loss" : "gain", (points < 0 ? "\u2212" : "+") + Math.abs(points)));
        }
        return line;
      })
    );
  }

  function timeOf(micros) {
    if (micros < 1000) return micros + " \u00b5s";
    if (micros < 10000) return (micros / 1000).toFixed(1) + " ms";
    return micros < 1e6 ? (micros / 1000).toFixed(0) + " ms" : (micros / 1e6).toFixed(1) + " s";
  }

  function drawCaption(deal, state) {
    const caption = $("caption");
    caption.replaceChildren();
    const last = state.last;
    if (!last) {
      caption.append("The tiles are dealt.");
      return;
    }
    const hidden = last.k === "discard" && !sees(last.s);
    caption.append(named(deal.replay.seats[last.s]), " " + (hidden ? "discards a tile" : last.say));
    if (last.wins !== undefined) {
      caption.append("; ", named(deal.replay.seats[last.wins]), " takes the trick");
    }
    caption.append(". ");
    if (last.fault) {
      const what = last.c === undefined && last.say.startsWith("forfeits") ? "" : ": the first legal choice stands in";
      caption.append(make("span", "fault", last.fault + what + "."), " ");
      if (last.detail) caption.append(make("bdi", "detail", last.detail.slice(0, 300)), " ");
    }
    if (last.us !== undefined) caption.append(make("span", "time", timeOf(last.us) + " "));
    if (last.forced) caption.append(make("span", "time", "It was the only legal choice. "));
    else if (last.could && sees(last.s)) caption.append(make("span", "could", "Could be " + words(last.could).join(", ") + ". "));
    if (step === deal.steps.length) caption.append(make("strong", "", deal.outcome + "."));
  }

  function drawSheet(deal) {
    for (const sheet of document.querySelectorAll(".sheet")) sheet.hidden = sheet.id !== deal.id;
    for (const old of document.querySelectorAll(".choice.now")) {
      old.classList.remove("now");
      old.removeAttribute("aria-current");
    }
    const now = step && $(deal.id + "." + (deal.first + step - 1));
    if (now) {
      now.classList.add("now");
      now.setAttribute("aria-current", "step");
    }
    for (const row of document.querySelectorAll(".hands tr")) {
      row.classList.toggle("shut", view !== ALL && row.dataset.seat !== String(view));
    }
    for (const row of document.querySelectorAll(".course tr[data-private]")) {
      row.classList.toggle("private", row.dataset.private !== "" && !sees(Number(row.dataset.private)));
    }
  }

  function draw() {
    const deal = deals[at];
    const state = stateOf(deal, step);
    drawHead(deal, state);
    drawStage(deal, state);
    drawCaption(deal, state);
    drawSheet(deal);
    const slider = $("slider");
    slider.max = deal.steps.length;
    slider.value = step;
    slider.setAttribute("aria-valuetext", step ? "decision " + (deal.first + step - 1) : "dealt");
    $("deal-chooser").value = String(at);
    const first = at === 0 && step === 0;
    const end = at === deals.length - 1 && step === deal.steps.length;
    $("back").disabled = $("previous-deal").disabled = first;
    $("forward").disabled = end;
    $("next-deal").disabled = at === deals.length - 1;
    if (end) stop();
  }

  const place = () => "#" + deals[at].id + (step ? "." + (deals[at].first + step - 1) : "");

  function go(deal, count) {
    const other = deals[deal].replay !== deals[at].replay;
    at = deal;
    step = Math.min(Math.max(count, 0), deals[at].steps.length);
    if (other) fillViews();
    draw();
    try {
      history.replaceState(null, "", place());
    } catch {
      // A browser that counts how often the address changes: the page does without.
    }
  }

  function move(by) {
    const count = step + by;
    if (count < 0) {
      if (at > 0) go(at - 1, deals[at - 1].steps.length);
    } else if (count > deals[at].steps.length) {
      if (at < deals.length - 1) go(at + 1, 0);
    } else go(at, count);
  }

  function moveDeal(by) {
    if (by < 0 && step > 0) go(at, 0);
    else if (deals[at + by]) go(at + by, 0);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    $("play").classList.remove("playing");
    $("play").setAttribute("aria-label", "Play");
  }

  function toggle() {
    if (timer) return stop();
    timer = setInterval(() => move(1), PAUSE);
    $("play").classList.add("playing");
    $("play").setAttribute("aria-label", "Stop");
    return move(1);
  }

  function fillViews() {
    const names = ["everybody", ...deals[at].replay.seats.map((name, seat) => seat + " " + name)];
    view = ALL;
    $("view-chooser").replaceChildren(...names.map((name, number) => new Option(name, String(number - 1))));
  }

  // Returns the deal and the step that an address names, or null.
  function named_place(hash) {
    const found = /^#(.*d\d+)(?:\.(\d+))?$/.exec(hash);
    const deal = found ? deals.findIndex((each) => each.id === found[1]) : -1;
    if (deal < 0) return null;
    return [deal, found[2] ? Number(found[2]) - deals[deal].first + 1 : 0];
  }

  function follow(hash, scroll) {
    const to = named_place(hash);
    if (!to) return false;
    stop();
    go(...to);
    const box = $("player").getBoundingClientRect();
    if (scroll && (box.bottom < 80 || box.top > innerHeight - 80)) $("player").scrollIntoView();
    return true;
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!named_place(link.hash)) return;
    event.preventDefault();
    history.pushState(null, "", link.hash);
    follow(link.hash, true);
  });
  addEventListener("hashchange", () => follow(location.hash, true));
  addEventListener("popstate", () => follow(location.hash, true));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target.closest("input, select, textarea");
    if (field) return;
    const keys = {
      ArrowLeft: () => (event.shiftKey ? moveDeal(-1) : move(-1)),
      ArrowRight: () => (event.shiftKey ? moveDeal(1) : move(1)),
      Home: () => go(at, 0),
      End: () => go(at, deals[at].steps.length),
      " ": toggle,
    };
    if (!keys[event.key]) return;
    if (event.key === " " && event.target.closest("button, a, summary")) return;
    event.preventDefault();
    if (event.key !== " ") stop();
    keys[event.key]();
  });

  const pressed = { back: () => move(-1), forward: () => move(1), "previous-deal": () => moveDeal(-1), "next-deal": () => moveDeal(1) };
  for (const [id, act] of Object.entries(pressed)) {
    $(id).addEventListener("click", () => {
      stop();
      act();
    });
  }
  $("play").addEventListener("click", toggle);
  $("slider").addEventListener("input", () => go(at, Number($("slider").value)));
  $("deal-chooser").addEventListener("change", () => go(Number($("deal-chooser").value), 0));
  $("view-chooser").addEventListener("change", () => {
    view = Number($("view-chooser").value);
    draw();
  });

  $("deal-chooser").replaceChildren(
    ...deals.map((deal, number) => {
      const title = deal.replay.title ? deal.replay.title + ", deal " : "";
      return new Option((title + deal.n + ": " + deal.outcome).slice(0, 90), String(number));
    })
  );
  document.documentElement.classList.add("watching");
  $("player").hidden = false;
  fillViews();
  if (follow(location.hash, false)) {
    // The browser goes to the place in the sheet, which is for readers without a script.
    const show = () => $("player").scrollIntoView();
    show();
    addEventListener("load", () => requestAnimationFrame(show));
  } else draw();
})();
