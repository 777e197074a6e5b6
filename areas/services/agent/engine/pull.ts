import { openLogLines } from "@reeve/model";
import type { EngineSocket } from "./socket.ts";

export interface PullAsked {
  readonly registry: { readonly url: string; readonly user: string; readonly password: string };
  readonly platform?: string | undefined;
  readonly signal: AbortSignal;
}

/** The engine answers at once that it begins, and says in what follows how it went. */
export async function pullImage(
  socket: EngineSocket,
  image: string,
  { registry: { url, user, password }, platform, signal }: PullAsked,
): Promise<void> {
  const proof = { username: user, password, serveraddress: new URL(url).host };
  const refused = (why: string) => new Error(`${image} cannot be pulled: ${why}`);
  const response = await socket
    .stream("/images/create", {
      method: "POST",
      // Without a tag the engine would pull all of them.
      query: {
        fromImage: /@|:[^/]*$/.test(image) ? image : `${image}:latest`,
        ...(platform && { platform }),
      },
      headers: { "x-registry-auth": Buffer.from(JSON.stringify(proof)).toString("base64url") },
      signal,
    })
    .catch((error: Error) => {
      throw refused(error.message);
    });
  const lines = openLogLines();
  for await (const chunk of response as AsyncIterable<Buffer>)
    for (const line of lines.push("", chunk)) {
      const { error } = JSON.parse(line) as { error?: string };
      if (error !== undefined) throw refused(error);
    }
  if (response.statusCode === 404) throw refused("there is no such image");
}
