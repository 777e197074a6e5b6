import { CallFault, connect } from "@reeve/sdk";

type Listener = () => void;

const listeners = new Set<Listener>();
let prove = (): Promise<void> => Promise.reject(new Error("nobody can be asked"));

/** The one client of this window. Its session is a cookie, which the browser sends along and no script can read. */
export const client = connect({
  url: globalThis.location?.origin ?? "http://localhost",
  async fetch(address, request) {
    const answer = await globalThis.fetch(address, request);
    if (answer.status === 401) for (const listener of listeners) listener();
    return answer;
  },
  prove: () => prove(),
});

/** The window's way to ask a person to prove anew who they are. */
export function setProof(how: typeof prove): void {
  prove = how;
}

/** Tells when the server no longer knows who we are: the session has ended. */
export function onSignedOut(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What went wrong, as a fault; what is none is a mistake of ours. */
export function asFault(error: unknown): CallFault {
  if (error instanceof CallFault) return error;
  if (error instanceof DOMException && error.name === "NotAllowedError")
    return new CallFault("precondition", "the passkey was not used: it was refused, or took too long");
  return new CallFault("internal", error instanceof Error ? error.message : String(error), {
    next: "load the page again; if it stays, tell whoever looks after this installation",
    cause: error,
  });
}
