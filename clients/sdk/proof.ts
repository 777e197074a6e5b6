import { CallFault } from "./call-fault.ts";

/** Does it; where the server asks for a fresh proof of identity first, the person gives it and it is done then. */
export async function withProof<T>(
  prove: (() => Promise<void>) | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (prove === undefined || !wantsProof(error)) throw error;
    await prove();
    return work();
  }
}

function wantsProof(error: unknown): boolean {
  if (!(error instanceof CallFault) || error.kind !== "forbidden") return false;
  return error.message.startsWith("fresh authentication needed");
}
