import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type LogStreamName, logStreams } from "@reeve/model";
import type { Client, LogQuery } from "@reeve/sdk";
import { defineVerb, flag, text, Usage } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { readTime } from "../read-time.ts";
import { lineOf, openLogView, tame } from "../runs/log-view.ts";
import { runNamed, stepNamed } from "../runs/meant.ts";
import { serviceLogs } from "../runs/service-logs.ts";

export const logs = defineVerb<CliDesk>()({
  name: "logs",
  group: "read",
  summary: "Show what a run, one of its steps, or the containers of a service have written",
  args: [{ name: "RUN | service/NAME" }, { name: "STEP", optional: true }],
  options: {
    follow: flag("Go on with what comes, until it has ended", "f"),
    since: text("TIME", "What came since: 10m ago is `10m`, or 2026-01-31T12:00:00Z"),
    grep: text("TEXT", "Only lines with this text"),
    stream: text("STREAM", "stdout or stderr; both when left out", { completes: logStreams }),
    offset: text("BYTE", "From this byte of one stream of a step on"),
    tail: text("N", "Of a service: only the last lines of each host"),
    host: text("HOST", "Of a service: only on this host"),
    container: text("NAME", "Of a service: only of this container, or of this service of the Compose file"),
    attempt: text("N", "Which attempt of the step; the latest when left out"),
    download: text(
      "FILE",
      "Write it to a file: an archive with all streams when it ends in .tar; of a step, its exact bytes",
    ),
  },
  example:
    "reeve logs 1f2e3d4c -f\nreeve logs 1f2e3d4c load --stream stderr\nreeve logs 1f2e3d4c --grep ERROR\nreeve logs 1f2e3d4c --download run.tar\nreeve logs service/web --tail 100 -f",
  async run(desk, { args: [word = "", stepWord], options }) {
    if (/^(service|services|svc)\//.test(word)) return serviceLogs(desk, word, options);
    const run = runNamed(word);
    const client = await desk.client();
    const query = await queryOf(client, run, stepWord, options);
    if (options.download !== undefined) return download(desk, client, run, query, options.download);
    if (options.follow) return follow(desk, client, run, query, options.grep);
    if (options.grep !== undefined) return grep(desk, client, run, query, options.grep);
    const decoder = new TextDecoder();
    for await (const bytes of client.logs.read(run, query))
      desk.out(tame(decoder.decode(bytes, { stream: true })));
    return 0;
  },
});

async function queryOf(
  client: Client,
  run: string,
  stepWord: string | undefined,
  given: Readonly<Record<"stream" | "attempt" | "offset" | "since", string | undefined>>,
): Promise<LogQuery> {
  const stream = logStreams.find((one) => one === given.stream);
  if (given.stream !== undefined && stream === undefined)
    throw new Usage(`--stream takes stdout or stderr, not ${JSON.stringify(given.stream)}`);
  if (given.attempt !== undefined && (stepWord === undefined || !/^[1-9]\d{0,5}$/.test(given.attempt)))
    throw new Usage("--attempt takes a number from 1 on, of a step", "name the step after the run");
  if (given.offset !== undefined && (stream === undefined || !/^\d{1,15}$/.test(given.offset)))
    throw new Usage("--offset takes a number of bytes, of one stream", "say which with --stream");
  if (given.offset !== undefined && stepWord === undefined)
    throw new Usage("--offset is of one step", "name the step after the run");
  const any = { test: () => true, what: "fit" };
  return {
    ...(stepWord === undefined ? {} : { seq: (await stepNamed(client, run, stepWord, any)).seq }),
    ...(stream === undefined ? {} : { stream: stream as LogStreamName }),
    ...(given.attempt === undefined ? {} : { attempt: Number(given.attempt) }),
    ...(given.offset === undefined ? {} : { offset: Number(given.offset) }),
    ...(given.since === undefined ? {} : { since: readTime(given.since, "--since") }),
  };
}

/** A whole run tells which step a line is of; one step's own lines need no name. */
async function follow(
  desk: CliDesk,
  client: Client,
  run: string,
  query: LogQuery,
  wanted: string | undefined,
): Promise<number> {
  const view = openLogView({ named: query.seq === undefined, grep: wanted });
  const onLost = () => desk.progress("the connection was lost; going on where it was …");
  for await (const news of client.logs.follow(run, query, { onLost })) {
    const { lines, talk } = view.tell(news);
    if (lines !== "") desk.out(lines);
    if (talk !== "") desk.say(talk);
  }
  desk.out(view.rest());
  return 0;
}

async function grep(
  desk: CliDesk,
  client: Client,
  run: string,
  query: LogQuery,
  wanted: string,
): Promise<number> {
  let found = false;
  for await (const match of client.logs.search(run, wanted, query)) {
    found = true;
    desk.out(`${lineOf(match, match.line, query.seq === undefined)}\n`);
  }
  if (!found) desk.say("no line has it");
  return found ? 0 : 1;
}

async function download(
  desk: CliDesk,
  client: Client,
  run: string,
  query: LogQuery,
  file: string,
): Promise<number> {
  const chunks = file.endsWith(".tar")
    ? client.logs.archive(run)
    : client.logs.read(run, { ...query, raw: query.seq !== undefined });
  await pipeline(Readable.from(chunks, { objectMode: false }), createWriteStream(file, { mode: 0o600 }));
  desk.say(`written to ${file}`);
  return 0;
}
