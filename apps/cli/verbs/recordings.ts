import { setTimeout as sleep } from "node:timers/promises";
import { castTimes, showBytes } from "@reeve/model";
import type { Recording } from "@reeve/sdk";
import { type AnyVerb, defineVerb, text, Usage } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { age } from "../output/age.ts";

const id = { name: "ID" } as const;

const list = defineVerb<CliDesk>()({
  name: "recordings list",
  standard: true,
  group: "read",
  summary: "List the recordings of terminals, newest first",
  options: {
    kind: text("KIND", "Of terminals of this kind: service or host", { completes: "kind" }),
    name: text("NAME", "Of this service or host"),
    subject: text("SUBJECT", "Opened by: user:ada"),
    limit: text("N", "At most so many; 50 when left out"),
  },
  example: "reeve recordings --subject user:ada\nreeve recordings --kind host --name web-1",
  async run(desk, { options: { kind, name, subject, limit = "50" } }) {
    const most = Number(limit);
    if (!Number.isSafeInteger(most) || most < 1) throw new Usage(`--limit takes a number, not ${limit}`);
    const given = { scope: desk.flags.scope, kind: kind && (await desk.kind(kind)).name, name, subject };
    const query = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const found: Recording[] = [];
    for await (const one of (await desk.client()).recordings.list(query)) {
      found.push(one);
      if (found.length === most) break;
    }
    if (await desk.data({ items: found })) return 0;
    if (found.length === 0) desk.say("no terminal was recorded that fits");
    else desk.table(["Age", "Subject", "Did", "What", "Host", "Size", "Id"], found.map(row));
    return 0;
  },
});

const play = defineVerb<CliDesk>()({
  name: "recordings play",
  group: "read",
  summary: "Show again what a terminal has shown; pauses take two seconds at most",
  args: [id],
  options: { speed: text("N", "So many times as fast") },
  example: "reeve recordings play 01a1e2b1-4d45-7cfe-845b-3a2a607dedaa --speed 4",
  async run(desk, { args: [word = ""], options: { speed = "1" } }) {
    const times = Number(speed);
    if (!(times > 0)) throw new Usage(`--speed takes a number above 0, not ${speed}`);
    const { events } = await (await desk.client()).recordings.replay(word);
    const due = castTimes(events);
    let at = 0;
    for (const [index, [, what, data]] of events.entries()) {
      // Nobody watches a pipe.
      if (desk.interactive) await sleep((((due[index] ?? 0) - at) * 1000) / times);
      at = due[index] ?? 0;
      if (what === "o") desk.out(data);
    }
    return 0;
  },
});

const download = defineVerb<CliDesk>()({
  name: "recordings download",
  group: "read",
  summary: "Write a recording to stdout, as asciicast v2",
  args: [id],
  example: "reeve recordings download 01a1e2b1-4d45-7cfe-845b-3a2a607dedaa > terminal.cast",
  async run(desk, { args: [word = ""] }) {
    const decoder = new TextDecoder();
    for await (const chunk of (await desk.client()).recordings.download(word))
      desk.out(decoder.decode(chunk, { stream: true }));
    return 0;
  },
});

export const recordingVerbs: readonly AnyVerb<CliDesk>[] = [list, play, download];

function row({ id, at, subject, verb, kind, scope, name, host, bytes }: Recording): string[] {
  const what = [kind.toLowerCase(), scope, name].filter(Boolean).join("/");
  return [age(at), subject, verb, what, host, showBytes(bytes), id];
}
