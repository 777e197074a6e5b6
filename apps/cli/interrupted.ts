import { exitCodes } from "./exit-codes.ts";

/** The person ended the command. */
export class Interrupted extends Error {
  constructor() {
    super("interrupted");
    this.name = "Interrupted";
  }
}

/** Ctrl-C ends any verb at once: what the server was asked for goes on there, and nothing here needs undoing. */
export function endOnInterrupt(): void {
  process.on("SIGINT", () => {
    if (process.stderr.isTTY) process.stderr.write("\n");
    process.exit(exitCodes.interrupted);
  });
}

/** While another program has the terminal, Ctrl-C is meant for that program. */
export async function leavingInterruptsTo<T>(work: () => Promise<T>): Promise<T> {
  const ours = process.listeners("SIGINT");
  const ignore = () => undefined;
  process.removeAllListeners("SIGINT");
  process.on("SIGINT", ignore);
  try {
    return await work();
  } finally {
    process.removeListener("SIGINT", ignore);
    for (const listener of ours) process.on("SIGINT", listener);
  }
}
