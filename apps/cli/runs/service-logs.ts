import type { ServiceLogNews, ServiceLogQuery } from "@reeve/sdk";
import { Usage } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { paintOut } from "../output/paint.ts";
import { printable } from "../output/width.ts";
import { readTime } from "../read-time.ts";
import { tame } from "./log-view.ts";

interface Options {
  readonly follow: boolean;
  readonly host: string | undefined;
  readonly container: string | undefined;
  readonly since: string | undefined;
  readonly tail: string | undefined;
  readonly grep: string | undefined;
}

/** What the containers of a service have said, and with `follow` what they say, until Ctrl-C. */
export async function serviceLogs(desk: CliDesk, word: string, options: Options): Promise<number> {
  const { scope, name } = await desk.target(word);
  const client = await desk.client();
  const query = queryOf(options);
  const wanted = options.grep ?? "";
  if (options.follow) {
    const onLost = () => desk.progress("the connection was lost; going on where it was …");
    for await (const news of client.serviceLogs.follow(scope, name, query, { onLost }))
      show(desk, news, wanted);
    return 0;
  }
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of client.serviceLogs.read(scope, name, query)) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    desk.out(
      lines
        .filter((line) => line.includes(wanted))
        .map((line) => `${tame(line)}\n`)
        .join(""),
    );
  }
  return 0;
}

function show(desk: CliDesk, news: ServiceLogNews, wanted: string): void {
  if (news.event === "note") return void desk.say(printable(`${news.note.host}: ${news.note.why}`));
  const { host, container, stream, text } = news.line;
  if (!text.includes(wanted)) return;
  const source = paintOut(stream === "stderr" ? "red" : "cyan", `${host} ${container}`);
  desk.out(`${source} | ${tame(text)}\n`);
}

function queryOf({ host, container, since, tail }: Options): ServiceLogQuery {
  if (tail !== undefined && !/^\d{1,5}$/.test(tail))
    throw new Usage("--tail takes a number of lines, up to 99999");
  return {
    ...(host === undefined ? {} : { host }),
    ...(container === undefined ? {} : { container }),
    ...(since === undefined ? {} : { since: readTime(since, "--since") }),
    ...(tail === undefined ? {} : { tail: Number(tail) }),
  };
}
