import { asFault } from "./client.ts";

type Ask = () => Promise<void>;

let ask: Ask = () => Promise.reject(new Error("nobody can be asked"));

/** The window's way to ask a person to prove anew who they are. */
export function setProof(how: Ask): void {
  ask = how;
}

/** Does it; where the server asks for a fresh proof of identity first, the person gives it and it is done then. */
export async function withProof<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { kind, message } = asFault(error);
    if (kind !== "forbidden" || !message.startsWith("fresh authentication needed")) throw error;
    await ask();
    return work();
  }
}
