import type { Opener } from "@reeve/agent";
import type { LogStore } from "./log-store.ts";
import { type LinesAsked, readLines } from "./read-lines.ts";

/** The logs of a service on this host, one JSON object a line. */
export function logsOpener(store: LogStore): Opener {
  return {
    name: "service-logs",
    async open(asked, { show, signal }) {
      const { service, ...lines } = asked as unknown as LinesAsked & { readonly service: string };
      for await (const some of readLines(store, service, lines, signal))
        if (some.length > 0)
          await show(Buffer.from(some.map((line) => `${JSON.stringify(line)}\n`).join("")));
      return {};
    },
  };
}
