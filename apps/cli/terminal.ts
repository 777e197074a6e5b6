import { text } from "node:stream/consumers";

const standardWidth = 80;

/** The two streams and the keyboard. Data goes to stdout, talk to stderr, so that pipes carry data only. */
export interface Terminal {
  readonly width: number;
  /** Whether there is a person to ask. */
  readonly interactive: boolean;
  out(text: string): void;
  say(text: string): void;
  progress(text: string): void;
  stdin(): Promise<string>;
  /** Lines that are drawn anew in their place; only where stdout is a terminal. */
  readonly live: LiveArea | undefined;
}

export interface LiveArea {
  readonly width: number;
  /** More lines than this would scroll away and could not be drawn over. */
  readonly height: number;
  draw(lines: readonly string[]): void;
  /** What was drawn last stays. */
  done(): void;
}

export function openTerminal(options: {
  readonly quiet: boolean;
  readonly columns: number | undefined;
}): Terminal {
  let showing = false;
  const clear = () => {
    if (showing) process.stderr.write("\r\u001b[K");
    showing = false;
  };
  return {
    width: process.stdout.columns || options.columns || standardWidth,
    interactive: Boolean(process.stdin.isTTY && process.stderr.isTTY),
    out(words) {
      clear();
      process.stdout.write(words);
    },
    say(words) {
      clear();
      if (!options.quiet) process.stderr.write(`${words}\n`);
    },
    progress(words) {
      if (options.quiet || !process.stderr.isTTY) return;
      clear();
      if (words === "") return;
      process.stderr.write(words.slice(0, (process.stderr.columns || standardWidth) - 1));
      showing = true;
    },
    stdin: () => text(process.stdin),
    live: process.stdout.isTTY && !options.quiet ? liveArea() : undefined,
  };
}

function liveArea(): LiveArea {
  let drawn = 0;
  return {
    get width() {
      return (process.stdout.columns || standardWidth) - 1;
    },
    get height() {
      return Math.max(3, (process.stdout.rows || 24) - 2);
    },
    draw(lines) {
      const up = drawn === 0 ? "" : `\u001b[${drawn}A`;
      process.stdout.write(`${up}\r\u001b[J${lines.map((line) => `${line}\n`).join("")}`);
      drawn = lines.length;
    },
    done() {
      drawn = 0;
    },
  };
}

/** `reeve get … | head` ends quietly: whoever closed the pipe has read enough. */
export function endQuietlyOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      throw error;
    });
}
