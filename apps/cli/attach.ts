import { once } from "node:events";
import type { Client, TerminalSize } from "@reeve/sdk";
import { leavingInterruptsTo } from "./interrupted.ts";
import type { Terminal } from "./terminal.ts";

/** Ended from outside, as a program that a signal ended. */
const endedCode = 255;

/** The person's terminal becomes the one that the ticket opens, until what runs there ends. */
export function attach(client: Client, terminal: Terminal, ticket: string): Promise<number> {
  const { stdin, stdout, stderr } = process;
  const tty = stdin.isTTY === true && stdout.isTTY === true;
  const size = (): TerminalSize | undefined =>
    tty ? { rows: stdout.rows, columns: stdout.columns } : undefined;
  return leavingInterruptsTo(async () => {
    const open = await client.terminals.open(ticket, size(), (data, stream) => {
      const out = stream === "stderr" ? stderr : stdout;
      return out.write(data) ? undefined : once(out, "drain").then(() => undefined);
    });
    const resize = () => {
      const now = size();
      if (now) open.resize(now);
    };
    const type = (data: Buffer) => open.type(data);
    if (tty) stdin.setRawMode(true);
    stdin.on("data", type).once("end", open.done);
    stdout.on("resize", resize);
    try {
      const { exitCode, why } = await open.ended;
      if (why !== undefined) terminal.say(tty ? `\r\n${why}\r` : why);
      return exitCode ?? endedCode;
    } finally {
      stdin.off("data", type).off("end", open.done).pause();
      stdout.off("resize", resize);
      if (tty) stdin.setRawMode(false);
      open.close();
    }
  });
}
