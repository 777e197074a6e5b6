import type { DebugTopic } from "@reeve/sdk";
import { defineVerb, Usage } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { age, until } from "../output/age.ts";

const topics = [
  "reconcilers",
  "leases",
  "links",
  "lane",
  "runs",
  "agents",
] as const satisfies readonly DebugTopic[];

export const debug = defineVerb<CliDesk>()({
  name: "debug",
  group: "server",
  summary: `Inside the server: ${topics.join(", ")}`,
  args: [{ name: "TOPIC", completes: topics }],
  example: "reeve debug leases",
  async run(desk, { args: [word] }) {
    const topic = topics.find((one) => one === word);
    if (topic === undefined)
      throw new Usage(`there is nothing to show for ${JSON.stringify(word)}`, `one of ${topics.join(", ")}`);
    const items = await (await desk.client()).debug(topic);
    if (await desk.data({ items })) return 0;
    if (items.length === 0) desk.say(`no ${topic}`);
    else {
      const titles = [...new Set(items.flatMap((item) => Object.keys(item)))];
      desk.table(
        titles.map(titleOf),
        items.map((item) => titles.map((title) => cell(item[title]))),
      );
    }
    return 0;
  },
});

/** Times are shown as distances from now: a lease is read as `in 12s`, a look as `3s ago`. */
function cell(value: unknown): string {
  if (value === undefined || value === null) return "-";
  if (typeof value === "number") return String(Math.round(value * 100) / 100);
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value))
    return Date.parse(value) > Date.now() ? until(value) : `${age(value)} ago`;
  if (Array.isArray(value)) return value.map(cell).join(",") || "-";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function titleOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => ` ${letter}`);
}
