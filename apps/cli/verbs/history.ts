import { diff, Fault, type Json } from "@reeve/model";
import { toYaml } from "@reeve/model/yaml";
import type { Generation } from "@reeve/sdk";
import { defineVerb, flag, text, Usage } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { age } from "../output/age.ts";
import { changeLines } from "../output/changes.ts";
import { paintOut } from "../output/paint.ts";
import { targetArgs } from "../target-args.ts";

export const history = defineVerb<CliDesk>()({
  name: "history",
  group: "read",
  summary: "Show who changed a resource, when and why",
  args: targetArgs,
  options: {
    generation: text("N", "Only this generation, with its spec"),
    diff: flag("What each generation changed"),
    limit: text("N", "At most so many generations"),
  },
  example: "reeve history sa/ci --diff\nreeve history sa/ci --generation 3",
  async run(desk, { args: [word = "", path], options }) {
    const { kind, scope, name } = await desk.target(word, path);
    const collection = (await desk.client()).kind(kind);
    const wanted =
      options.generation === undefined ? undefined : readCount(options.generation, "--generation");
    const limit = options.limit === undefined ? undefined : readCount(options.limit, "--limit");
    // One more than is shown, so that the oldest shown has something to differ from.
    const more = wanted === undefined ? (limit === undefined ? undefined : limit + 1) : 2;
    const all = await collection.history(scope, name, {
      ...(more === undefined ? {} : { limit: more }),
      ...(wanted === undefined ? {} : { before: wanted + 1 }),
    });
    const shown = wanted === undefined ? all.slice(0, limit) : all.filter((one) => one.generation === wanted);
    if (wanted !== undefined && shown.length === 0)
      throw new Fault("not_found", `${name} has no generation ${wanted}`, {
        next: "see which there are: reeve history",
      });
    if (await desk.data(wanted === undefined ? { items: shown } : shown[0])) return 0;
    if (options.diff) desk.out(shown.map((one) => generationDiff(one, before(one, all))).join("\n"));
    else if (wanted !== undefined) desk.out(toYaml(shown[0]?.spec));
    else
      desk.table(
        ["Generation", "Age", "Author", "Reason"],
        shown.map((one) => [String(one.generation), age(one.at), one.author, one.reason ?? "-"]),
      );
    return 0;
  },
});

function before(
  one: Generation<unknown>,
  all: readonly Generation<unknown>[],
): Generation<unknown> | undefined {
  return all
    .filter((other) => other.generation < one.generation)
    .sort((a, b) => b.generation - a.generation)[0];
}

function generationDiff(one: Generation<unknown>, older: Generation<unknown> | undefined): string {
  const why = one.reason ? `: ${one.reason}` : "";
  const head = paintOut("bold", `generation ${one.generation}, ${age(one.at)} ago, by ${one.author}${why}`);
  const changes = diff(older?.spec as Json | undefined, one.spec as Json);
  const lines = changes.length === 0 ? ["  no change to the spec"] : changeLines(changes);
  return [head, ...lines].map((line) => `${line}\n`).join("");
}

function readCount(value: string, option: string): number {
  const count = Number(value);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new Usage(`${option} takes a number from 1 on, not ${JSON.stringify(value)}`);
}
