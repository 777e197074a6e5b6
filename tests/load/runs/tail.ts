import { createHash } from "node:crypto";
import { request } from "node:http";
import type { Load } from "../measure/generator.ts";

export interface TailResult {
  readonly bytes: number;
  readonly sha256: string;
  /** What the stream's end said; of the bytes that the store has. */
  readonly endedSha256: string;
  readonly gaps: number;
  /** From the first byte to the end of the stream. */
  readonly seconds: number;
}

/** Follows a step's output by server-sent events, as `reeve logs -f` does. */
export const tail: Load<{ port: number; token: string }, { path: string }, TailResult> =
  async ({ port, token }) =>
  ({ path }) =>
    new Promise((resolve, reject) => {
      const hash = createHash("sha256");
      let [bytes, gaps, firstAt, endedSha256, held] = [0, 0, 0, "", ""];
      const read = (event: string, data: string) => {
        if (event === "piece") {
          const piece = JSON.parse(data) as { text?: string; base64?: string };
          const chunk =
            piece.text === undefined ? Buffer.from(piece.base64 ?? "", "base64") : Buffer.from(piece.text);
          firstAt ||= performance.now();
          bytes += chunk.length;
          hash.update(chunk);
        } else if (event === "gap") gaps++;
        else if (event === "ended") endedSha256 ||= (JSON.parse(data) as { sha256?: string }).sha256 ?? "";
      };
      const asked = request(
        {
          port,
          host: "127.0.0.1",
          path,
          headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
        },
        (answer) => {
          if (answer.statusCode !== 200)
            return reject(new Error(`the tail was answered ${answer.statusCode}`));
          answer.setEncoding("utf8");
          answer.on("data", (text: string) => {
            const events = (held + text).split("\n\n");
            held = events.pop() as string;
            for (const one of events) {
              const field = (name: string) =>
                one
                  .split("\n")
                  .find((line) => line.startsWith(`${name}:`))
                  ?.slice(name.length + 1)
                  .trim() ?? "";
              read(field("event"), field("data"));
            }
          });
          answer.on("end", () =>
            resolve({
              ...{ bytes, gaps, endedSha256 },
              sha256: hash.digest("hex"),
              seconds: (performance.now() - firstAt) / 1000,
            }),
          );
        },
      );
      asked.on("error", reject);
      asked.end();
    });
