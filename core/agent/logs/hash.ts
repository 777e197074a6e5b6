import { createSHA256 } from "hash-wasm";

/**
 * SHA-256 whose state can be kept: the hash of a whole log must survive a restart of the agent, after which its first part is
 * no longer there. Node's own cannot be saved. One hasher serves all streams, each with its state.
 */
export interface StreamHash {
  readonly empty: Uint8Array;
  after(state: Uint8Array, bytes: Uint8Array): Uint8Array;
  digest(state: Uint8Array): Uint8Array;
}

let opened: Promise<StreamHash> | undefined;

/** Its memory is taken when the first output is there. */
export function streamHash(): Promise<StreamHash> {
  opened ??= open();
  return opened;
}

async function open(): Promise<StreamHash> {
  const hasher = await createSHA256();
  hasher.init();
  const empty = hasher.save();
  return {
    empty,
    after: (state, bytes) => hasher.load(state).update(bytes).save(),
    digest: (state) => hasher.load(state).digest("binary"),
  };
}
