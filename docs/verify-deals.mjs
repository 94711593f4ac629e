// Deals every recorded deal again from the published seed:
//   moon tournament export night.sqlite | node verify-deals.mjs SEED [COMMITMENT]
import { createHash, createHmac } from "node:crypto";
import { createInterface } from "node:readline";
const sha = (text) => createHash("sha256").update(text, "utf8").digest();
const mac = (key, data) => createHmac("sha256", key).update(data).digest();
const [seed, seal] = process.argv.slice(2);
let wrong = seal && sha("moon-league/seal/v1\n" + seed).toString("hex") !== seal ? ["seal"] : [];
const number = (value, size) => Buffer.from(value.toString(16).padStart(2 * size, "0"), "hex");
function draws(key, label) {
  const bytes = (function* () { for (let p = 0; ; p++) yield* mac(key, Buffer.concat([label, number(p, 4)])); })();
  return (count) => { for (;;) { const byte = bytes.next().value; if (byte < 256 - (256 % count)) return byte % count; } };
}
let deals = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { table, block, seats, record } = JSON.parse(line);
  const key = mac(sha("moon-league/seed/v1\n" + seed), `derive/block/${block}`);
  for (const { n, first, hands, middle } of record.filter((part) => part.type === "deal")) {
    const all = [...hands, middle].join(" ").split(" ").filter(Boolean).sort(), tiles = [...all];
    const draw = draws(key, Buffer.concat([Buffer.from("deal/"), number(n, 8)]));
    for (let i = tiles.length - 1; i > 0; i--) { const j = draw(i + 1); [tiles[i], tiles[j]] = [tiles[j], tiles[i]]; }
    const dealt = hands.map((_, seat) => new Set(tiles.slice(7 * seat, 7 * seat + 7)));
    const fits = hands.every((hand, seat) => hand.split(" ").length === 7 && hand.split(" ").every((tile) => dealt[seat].has(tile)));
    if (!fits || middle !== tiles.slice(7 * seats.length).join(" ") || (n === 0 && first !== draws(key, Buffer.from("lot/"))(seats.length))) wrong.push(`table ${table}, deal ${n}`);
    deals++;
  }
}
console.log(wrong.length ? `${wrong.length} not from this seed: ${wrong.slice(0, 3).join("; ")}` : `${deals} deals are those of the seed`);
process.exit(wrong.length ? 5 : 0);
