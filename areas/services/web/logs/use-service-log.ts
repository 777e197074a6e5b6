import { asFault, client } from "@reeve/kit";
import type { ContainerLine, Scope } from "@reeve/model";
import type { CallFault } from "@reeve/sdk";
import { useEffect, useState } from "react";

export interface ShownLine extends ContainerLine {
  readonly host: string;
  /** Counted as they came. */
  readonly count: number;
}

interface ServiceLog {
  readonly lines: readonly ShownLine[];
  /** Hosts that cannot be read, and why. */
  readonly notes: ReadonlyMap<string, string>;
  readonly fault?: CallFault;
}

/** Of each host, when the page opens. */
const tail = 500;
/** What is older is let go: the command line has all of it. */
const keptMost = 2000;
/** A container that says much must not draw the page more often than this. */
const drawMs = 150;
const nothing: ServiceLog = { lines: [], notes: new Map() };

/** What the containers of a service have said last, and what they say. */
export function useServiceLog(scope: Scope, name: string): ServiceLog {
  const [shown, setShown] = useState(nothing);
  useEffect(() => {
    const over = new AbortController();
    let lines: ShownLine[] = [];
    const notes = new Map<string, string>();
    let count = 0;
    let drawing: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      drawing = undefined;
      lines = lines.slice(-keptMost);
      setShown({ lines: [...lines], notes: new Map(notes) });
    };
    const follow = async () => {
      for await (const news of client.serviceLogs.follow(scope, name, { tail }, { signal: over.signal })) {
        if (news.event === "note") notes.set(news.note.host, news.note.why);
        else {
          notes.delete(news.line.host);
          lines.push({ ...news.line, count: ++count });
        }
        drawing ??= setTimeout(draw, drawMs);
      }
    };
    setShown(nothing);
    follow().catch(
      (error: unknown) => over.signal.aborted || setShown({ ...nothing, fault: asFault(error) }),
    );
    return () => {
      clearTimeout(drawing);
      over.abort();
    };
  }, [scope, name]);
  return shown;
}
