import { useComputedColorScheme } from "@mantine/core";
import type { CallFault, OpenTerminal, TerminalEnd, TerminalTicket } from "@reeve/sdk";
import { type RefObject, useEffect, useRef, useState } from "react";
import { asFault, client } from "../../client.ts";
import { type Action, type Change, useAction } from "../../live/use-action.ts";
import { openScreen, type Screen } from "./screen.ts";

/** How it has ended: by itself, by somebody, or without a word. */
export type Ended = TerminalEnd | CallFault;

export interface LiveTerminal {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly is: "new" | "open" | "ended";
  readonly ended: Ended | undefined;
  readonly recorded: boolean;
  readonly action: Action;
  open(): void;
  close(): void;
}

export type AskTicket = Change<TerminalTicket>["run"];

interface Options {
  readonly label: string;
  /** Asks for the ticket. */
  readonly ask: AskTicket;
  /** The person leaves it by keyboard. */
  readonly left: () => void;
}

/** A terminal of this page: opened, lost and opened again; closed with the page. */
export function useTerminal({ label, ask, left }: Options): LiveTerminal {
  const box = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen>(undefined);
  const line = useRef<OpenTerminal>(undefined);
  const [is, setIs] = useState<LiveTerminal["is"]>("new");
  const [ended, setEnded] = useState<Ended>();
  const [recorded, setRecorded] = useState(false);
  const action = useAction();
  const scheme = useComputedColorScheme("light");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours change with the scheme
  useEffect(() => screen.current?.paint(), [scheme]);
  useEffect(
    () => () => {
      line.current?.close();
      screen.current?.close();
    },
    [],
  );

  async function connect({ ticket, recorded }: TerminalTicket): Promise<void> {
    setRecorded(recorded);
    screen.current ??= openScreen(box.current as HTMLElement, {
      label,
      typed: (data) => line.current?.type(data),
      resized: (size) => line.current?.resize(size),
      left,
    });
    const shown = screen.current;
    shown.clear();
    const opened = await client.terminals.open(ticket, shown.size(), (data) => shown.write(data));
    line.current = opened;
    setIs("open");
    setEnded(undefined);
    shown.focus();
    void opened.ended.catch(asFault).then((end) => {
      opened.close();
      if (line.current !== opened) return;
      line.current = undefined;
      setEnded(end);
      setIs("ended");
    });
  }

  return {
    ...{ box, is, ended, recorded, action },
    open: () => void action.run(async (key) => connect(await ask(key)), { quiet: true }),
    close() {
      const closing = line.current;
      line.current = undefined;
      closing?.close();
      setEnded({ why: "you have closed it" });
      setIs("ended");
    },
  };
}
