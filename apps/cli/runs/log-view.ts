import { type LogSource, openLogLines } from "@reeve/model";
import type { LogNews } from "@reeve/sdk";
import { paintOut } from "../output/paint.ts";
import { printable } from "../output/width.ts";

/** Lines of a followed log, as people read them: under the names of their steps, each in a colour of its own. */
export interface LogView {
  tell(news: LogNews): { lines: string; talk: string };
  /** What had no line's end. */
  rest(): string;
}

const colours = ["cyan", "green", "yellow", "bold"] as const;

export function openLogView({ named, grep = "" }: { named: boolean; grep?: string | undefined }): LogView {
  const lines = openLogLines();
  const sources = new Map<string, LogSource>();
  const shown = (source: LogSource, found: readonly string[]) =>
    found
      .filter((line) => line.includes(grep))
      .map((line) => `${lineOf(source, line, named)}\n`)
      .join("");

  return {
    tell(news) {
      if (news.event === "piece") {
        const { piece } = news;
        const key = `${piece.seq} ${piece.attempt} ${piece.stream}`;
        sources.set(key, piece);
        const bytes =
          piece.text === undefined ? Buffer.from(piece.base64 ?? "", "base64") : Buffer.from(piece.text);
        return { lines: shown(piece, lines.push(key, bytes)), talk: "" };
      }
      if (news.event === "gap")
        return {
          lines: "",
          talk: printable(`${news.gap.step}: ${news.gap.length} bytes are missing: ${news.gap.why}`),
        };
      return {
        lines: "",
        talk: news.event === "note" ? printable(`${news.note.step}: ${news.note.why}`) : "",
      };
    },
    rest: () =>
      lines
        .rest()
        .map(({ key, line }) => shown(sources.get(key) as LogSource, [line]))
        .join(""),
  };
}

export function lineOf({ step, seq, stream }: LogSource, line: string, named: boolean): string {
  const plain = tame(line);
  if (!named) return plain;
  const colour = stream === "stderr" ? "red" : (colours[seq % colours.length] ?? "cyan");
  return `${paintOut(colour, step)} | ${plain}`;
}

/** A log may hold what would steer the terminal: there, only colours are let through. A pipe gets all of it. */
export function tame(text: string, terminal: boolean = process.stdout.isTTY): string {
  if (!terminal) return text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it is about
  return text.replace(/\u001b\[[\d;]*m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (found) =>
    found.length > 1 ? found : "",
  );
}
