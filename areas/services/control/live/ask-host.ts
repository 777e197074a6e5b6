import type { Context } from "@reeve/control";
import { Fault, type JsonObject } from "@reeve/model";

const bytesMost = 16 * 1024 ** 2;

/** What an agent answers through a tunnel, whole and as JSON. A Fault says why there is no answer, in the agent's words. */
export async function askHost(
  { tunnels }: Context,
  agent: string,
  opens: string,
  asked: JsonObject,
  withinMs = 120_000,
): Promise<unknown> {
  const tunnel = await tunnels.open(agent, { opens, with: JSON.stringify(asked) });
  const impatient = setTimeout(tunnel.close, withinMs);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const word of tunnel.heard) {
      if (word.case === "data") {
        bytes += word.value.length;
        if (bytes > bytesMost) throw new Fault("unavailable", "the host's agent answers with too much");
        parts.push(word.value);
      } else if (word.case === "end") {
        if (word.value.why !== "") throw new Fault("precondition", word.value.why);
        return JSON.parse(Buffer.concat(parts).toString("utf8"));
      }
    }
    throw new Fault("unavailable", "the host's agent did not answer in time, or was lost", {
      next: "try again in a moment",
    });
  } finally {
    clearTimeout(impatient);
    tunnel.close();
  }
}
