"""The report of a run: its figures are those of the records, and it links to what it names."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from referee.match import MatchRecord, finished_deals
from referee.match.lines import RecordLine, rules_of
from referee.rules import Bid
from tests.league_night.offices import TestOffice
from tests.pages.nights import HOSTILE, night, played, tournament
from tests.pages.reading import Page, check_is_closed
from tournaments.cli.main import main
from tournaments.lab.observing import ALL, BlockSums, grouping
from tournaments.lab.reading import Counts, read_blocks
from tournaments.pages.bidding import BiddingTally
from tournaments.pages.charts import rating_intervals
from tournaments.pages.fault_book import MOST_SHOWN, FaultBook
from tournaments.pages.night import Night, read_night
from tournaments.pages.rendering import plain_name
from tournaments.pages.report_page import report_page
from tournaments.pages.told import Told
from tournaments.reports.reading import record_of
from tournaments.results import FaultRow, TableResult
from tournaments.schedule import EntrantId
from tournaments.standings import Results
from tournaments.store import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(night(tmp_path_factory.mktemp("night") / "night.sqlite")) as store:
        yield store


@pytest.fixture(scope="module")
def told(store: Store) -> Night:
    return read_night(store)


@pytest.fixture(scope="module")
def page(store: Store, told: Night) -> Page:
    return check_is_closed(report_page(store.run, told))


@pytest.fixture(scope="module")
def matches(store: Store) -> list[MatchRecord]:
    return [record_of(store, result) for result in store.results()]


def test_names_and_messages_of_strangers_are_text_and_nothing_else(page: Page) -> None:
    data, script = page.all("script")
    assert data.attributes["type"] == "application/json"
    assert "alert" not in script.text
    shown = {each.text for each in page.all("bdi", "name")}
    assert {HOSTILE[0], HOSTILE[1]} <= shown
    assert "Night of <i>bots</i>" in page.all("h1")[0].text
    assert any("<b>Traceback</b>" in each.text for each in page.all("pre"))
    assert any('File "…/tall.py", line 3' in each.text for each in page.all("pre")), "no folders"
    assert not any("/home" in each.text for each in page.all("body"))
    assert not {"\x1b", "\u202e"} & set(page.source)


def test_every_link_leads_to_something_on_the_page(page: Page) -> None:
    links = {each.attributes["href"] for each in page.all("a")}
    ids = {each.attributes["id"] for each in page.elements if "id" in each.attributes}
    assert {link.removeprefix("#") for link in links} <= ids
    assert len([link for link in links if re.fullmatch(r"#t\d+\.\d+-d\d+", link)]) >= 3


def test_the_standings_are_those_of_the_run(page: Page, store: Store, told: Night) -> None:
    results = Results(store.run.rules, *store.run.pattern(), store.outcomes())
    expected = [(row.entrant, f"{row.mu:.1f}") for row in results.standings().ranks.entrants]
    [table] = page.all("table", "ranking")
    assert [name for name, _ in expected] == list(told.order)
    places = [table.text.index(f"{name} {rating}") for name, rating in expected]
    assert places == sorted(places)
    [footer] = page.all("footer")
    assert f"fingerprint {store.fingerprint()}" in footer.text
    assert re.search(r"sealed \d{4}-\d\d-\d\d \d\d:\d\d UTC with c0ffee", footer.text)
    assert [each.tables for each in told.moments][-1] == results.played
    assert told.moments[-1].ratings == {row.entrant: row.mu for row in results.ratings()}


def test_a_forfeit_is_left_out_where_the_page_says_so(
    page: Page, store: Store, told: Night
) -> None:
    fair = [result for result in store.outcomes() if result.ending != "forfeit"]
    order = Results(store.run.rules, *store.run.pattern(), fair).order()
    assert set(order) == set(told.order), "everybody has played without a forfeit"
    assert told.forfeited == store.counts().played - len(fair) > 0
    assert told.order_without_forfeits == tuple(order)
    [line] = [each.text for each in page.all("li") if "forfeited match" in each.text]
    assert ("would be the same" in line) == (tuple(order) == told.order)
    assert line.startswith(f"Without the {told.forfeited} forfeited match")


def test_who_has_only_forfeited_matches_has_no_rank_without_them(store: Store, told: Night) -> None:
    last = told.order[-1]
    others = replace(told, order_without_forfeits=told.order[:-1])
    page = Page(report_page(store.run, others))
    [line] = [each.text for each in page.all("li") if "forfeited match" in each.text]
    assert line.endswith(f"would change: {plain_name(last)} {len(told.order)} \u2192 -.")


def test_an_interval_that_ends_at_zero_is_drawn_to_zero(told: Night) -> None:
    """Guards against the end 0.0 being taken for one that is not known."""
    ranks = told.standings.ranks
    first, *rest = ranks.entrants
    rows = (replace(first, mu=5.0, low=0.0, high=8.0), *rest)
    changed = replace(told.standings, ranks=replace(ranks, entrants=rows))
    drawn = rating_intervals(replace(told, standings=changed))[first.entrant]
    assert drawn.low < drawn.at < drawn.high


def test_who_met_in_how_many_blocks_stands_beside_each_difference(page: Page, told: Night) -> None:
    assert "A short match counts as much as a long one." in page.source
    for met in told.versus.values():
        if met.tables:
            assert f'title="{met.tables} tables in {met.blocks} blocks, ' in page.source


def test_the_ratings_are_looked_at_no_oftener_than_is_said(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.pages.night.MOMENTS", 7)
    assert [moment.tables for moment in read_night(store).moments] == [2, 4, 6, 8, 10, 12]


def test_bids_are_counted_with_the_tricks_that_were_taken(
    told: Night, matches: list[MatchRecord]
) -> None:
    counts: Counter[tuple[str, Bid, int, bool]] = Counter()
    left_out = 0
    for match in matches:
        for number, finished in enumerate(finished_deals(match)):
            if match.deals[number].faults:
                left_out += match.deals[number].made is not None
                continue
            deal, score = finished.deal, finished.score
            if score is not None and deal.declarer is not None:
                name = match.seats[deal.declarer]
                key = name, deal.contract, deal.tricks_won[deal.declarer], score.made
                counts[key] += 1
    for name, levels in told.bidding.entrants.items():
        for bid, level in levels.items():
            mine = {key: n for key, n in counts.items() if key[:2] == (name, bid.bid)}
            assert level.played == sum(mine.values())
            assert level.made == sum(n for key, n in mine.items() if key[3])
            assert level.tricks == Counter({key[2]: n for key, n in mine.items()})
    total = sum(level.played for level in told.bidding.total.values())
    assert total == sum(counts.values()) > 20
    assert told.bidding.left_out == left_out > 0


def test_the_report_and_the_laboratory_count_the_same_contracts(store: Store, told: Night) -> None:
    """Guards against two tables of bids, of one run, of which each leaves out something else."""
    lab: dict[tuple[str, str, str], Counter[str]] = {}
    for deals in read_blocks(store.results(), Counts()):
        block = BlockSums(store.run.rules, grouping([]))
        for deal in deals:
            block.take(deal)
        for key, (total, count) in block.sums.items():
            if key.topic == "contracts" and key.what != ALL and key.measure in ("made", "tricks"):
                sums = lab.setdefault((key.entrant, key.what, key.measure), Counter())
                sums.update({"sum": total, "count": count})
    for name, levels in told.bidding.entrants.items():
        for level, counts in levels.items():
            made = lab.pop((name, str(level), "made"))
            assert made == {"sum": counts.made, "count": counts.played}
            tricks = sum(taken * n for taken, n in counts.tricks.items())
            assert lab.pop((name, str(level), "tricks"))["sum"] == tricks
    assert not lab


def test_a_contract_that_somebody_was_forced_to_stands_by_itself() -> None:
    rules = "tournament-3p"
    deals = [
        RecordLine("deal", first=1, forced=True, bids=bids, made=True, points=(4, 0, 0),
                   tricks=(4, 2, 1), faults=faults)
        for bids, faults in (("pass pass 4", ()), ("pass pass 4", ((2, 0, "timeout"),)),
                             ("pass 4 5", ()))
    ]  # fmt: skip
    tally = BiddingTally(rules_of(rules))
    tally.take([EntrantId(name) for name in "abc"], Told(rules, tuple(deals)))
    table = tally.table([EntrantId("a")])
    assert [table.title(level) for level in table.levels] == ["4 forced", "5"]
    assert table.left_out == 1


def test_awards_go_to_the_best_of_the_night(told: Night, matches: list[MatchRecord]) -> None:
    awards = {award.title: award for award in told.awards}
    worst = (0, 0)
    closest = []
    for match in matches:
        if match.result.forfeit is None:
            scores = sorted(match.result.scores, reverse=True)
            closest.append((scores[0] - scores[1], scores[0] - scores[2], match.table))
        for deal in match.deals:
            if deal.made is False and deal.points is not None:
                seat = deal.points.index(min(deal.points))
                worst = min(worst, (deal.points[seat], deal.tricks_won[seat]))
    assert f"took {worst[1] or 'no'} trick" in awards["Biggest set"].text
    assert awards["Biggest set"].text.endswith(f"got {worst[0]:+d}")
    gap = min(closest)[:2]
    assert awards["Closest match"].table in {table for *key, table in closest if tuple(key) == gap}
    for award in told.awards:
        match = next(match for match in matches if match.table == award.table)
        assert award.entrant in match.seats
        assert award.deal in [deal.number for deal in match.deals]


def test_faults_come_first_and_each_kind_leads_to_its_decision(
    page: Page, store: Store, told: Night
) -> None:
    faults = [fault for result in store.results() for fault in result.faults]
    headings = [each.text for each in page.all("h2")]
    assert headings[:2] == ["Faults", "Standings"]
    lines = {line.entrant: line for line in told.faults.lines(told.order)}
    assert Counter({name: line.total for name, line in lines.items()}) == Counter(
        fault.entrant for fault in faults
    )
    assert sum(line.forfeits for line in lines.values()) == told.forfeited
    for group in told.faults.groups():
        address = f"t{group.table}-d{group.fault.deal}.{group.fault.decision}"
        assert "faulty" in page.one(address).attributes["class"]


def test_of_many_different_faults_only_so_many_are_shown() -> None:
    book = FaultBook()
    name = EntrantId("ann")
    for number in range(MOST_SHOWN + 7):
        times = 3 if number == MOST_SHOWN + 6 else 1
        row = FaultRow(0, name, "crashed", 0, 1, exit_status=f"exit code {number}", substitute="x")
        book.take(TableResult(number, number, 0, (name,), "deals", faults=(row,) * times))
    assert len(book.groups()) == MOST_SHOWN
    assert book.left_out == 7
    assert book.groups()[0].fault.exit_status == f"exit code {MOST_SHOWN + 6}"


def test_a_run_of_which_nothing_is_played_has_a_report_that_says_so(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    with Store.create(path, tournament(["ann", "bob", "cyd"]), code_version="1") as store:
        page = check_is_closed(report_page(store.run, read_night(store)))
    text = page.all("main")[0].text
    for said in ("No bot did anything wrong", "No contract was played", "No match was forfeited"):
        assert said in text
    assert not page.all("article")


def test_a_run_without_entrants_has_a_report_of_what_is_there(tmp_path: Path) -> None:
    """As a night that is sealed and was not begun."""
    office = TestOffice(tmp_path / "sealed.sqlite")
    with Store.create(office.path, office.made(()), code_version="1") as store:
        page = check_is_closed(report_page(store.run, read_night(store)))
    assert "0 of 0 tables" in page.all("header")[0].text
    assert "No contract was played" in page.all("main")[0].text


def test_a_night_of_pairs_names_the_pairs(tmp_path: Path) -> None:
    config = tournament(["ann", "bob"], rounds=3, rules="tournament-4p")
    with Store.create(tmp_path / "pairs.sqlite", config, code_version="1") as store:
        store.add_results([*map(played, config.schedule().tables)])
        night_of_pairs = read_night(store)
        page = check_is_closed(report_page(store.run, night_of_pairs))
    assert {award.entrant for award in night_of_pairs.awards} <= {"ann", "bob"}
    assert len(night_of_pairs.awards) >= 3
    assert set(night_of_pairs.bidding.entrants) == {"ann", "bob"}
    assert page.data["replays"][0]["sides"] == [[0, 2], [1, 3]]


def test_where_partners_change_every_seat_has_a_column_and_awards_name_both(
    tmp_path: Path,
) -> None:
    names = ["ann", "bob", "cyd", "dan"]
    config = tournament(names, rules="tournament-4p", form="whist")
    with Store.create(tmp_path / "whist.sqlite", config, code_version="1") as store:
        store.add_results([*map(played, config.schedule().tables)])
        night_of_partners = read_night(store)
        page = check_is_closed(report_page(store.run, night_of_partners))
    titles = [each.text for each in page.all("th") if each.text.startswith("seat ")]
    assert titles == ["seat 0", "seat 1", "seat 2", "seat 3"]
    closest = next(each for each in night_of_partners.awards if each.title == "Closest match")
    assert set(closest.entrant.split(" + ")) < set(names)


def test_the_command_writes_the_page_and_names_it_after_the_store(
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(store.path)]) == 0
    assert re.fullmatch(r"night\.html: \d+ kB\n", capsys.readouterr().out)
    page = check_is_closed((tmp_path / "night.html").read_text())
    assert json.dumps(page.data)
    assert main(["report", "no-such.sqlite"]) == 3
