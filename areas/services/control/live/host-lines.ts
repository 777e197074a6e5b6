import type { Tunnel } from "@reeve/control";
import { type ContainerLine, openLogLines, timeKey } from "@reeve/model";

/** A line, and the host that it was said on. */
export interface HostLine extends ContainerLine {
  readonly host: string;
}

/** What an agent tells of a service's log. Throws in words when it cannot, or is lost. */
export async function* linesFrom(host: string, tunnel: Tunnel): AsyncGenerator<HostLine[]> {
  const lines = openLogLines();
  try {
    for await (const word of tunnel.heard) {
      if (word.case === "data") {
        const found = lines
          .push("", word.value)
          .map((text) => ({ host, ...(JSON.parse(text) as ContainerLine) }));
        if (found.length > 0) yield found;
      }
      if (word.case !== "end") continue;
      if (word.value.why !== "") throw new Error(word.value.why);
      return;
    }
    throw new Error("its agent was lost");
  } finally {
    tunnel.close();
  }
}

/** Lines of several hosts, each in order, in the order of their times. */
export async function* inOrder(hosts: readonly AsyncIterable<HostLine[]>[]): AsyncGenerator<HostLine[]> {
  const open = hosts.map((one) => ({
    batches: one[Symbol.asyncIterator](),
    lines: [] as HostLine[],
    over: false,
  }));
  try {
    for (;;) {
      for (const one of open)
        while (!one.over && one.lines.length === 0) {
          const next = await one.batches.next();
          one.over = next.done === true;
          if (!next.done) one.lines = [...next.value];
        }
      const left = open.filter(({ lines }) => lines.length > 0);
      const [first] = left;
      if (first === undefined) return;
      // With one left there is nothing to compare.
      if (left.length === 1) {
        yield first.lines.splice(0);
        continue;
      }
      const earliest = left.reduce((best, one) => (headOf(one) < headOf(best) ? one : best), first);
      yield earliest.lines.splice(0, 1);
    }
  } finally {
    for (const { batches } of open) void batches.return?.(undefined);
  }
}

const headOf = ({ lines }: { lines: readonly HostLine[] }) => timeKey(lines[0]?.at ?? "");
