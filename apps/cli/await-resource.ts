import type { Resource } from "@reeve/model";
import type { Client } from "@reeve/sdk";
import type { Target } from "@reeve/sdk/cli";

export interface Awaited {
  readonly met: boolean;
  /** False when the time was over before the server told the present state. */
  readonly known: boolean;
  /** The resource as last seen; undefined when it is not there. */
  readonly last: Resource | undefined;
}

interface Awaiting {
  readonly timeoutMs?: number | undefined;
  readonly onLost?: (message: string) => void;
  readonly onChange?: (resource: Resource | undefined) => void;
}

/** Watches one resource until the test holds or the time is over. The test first runs when the present state is known. */
export async function awaitResource(
  client: Client,
  { kind, scope, name }: Target,
  test: (resource: Resource | undefined) => boolean,
  { timeoutMs, onLost, onChange }: Awaiting = {},
): Promise<Awaited> {
  const stop = new AbortController();
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop.abort(), timeoutMs);
  let last: Resource | undefined;
  let known = false;
  let met = false;
  const look = () => {
    met = known && test(last);
    if (met) stop.abort();
  };
  try {
    const changes = client.kind(kind).watch(scope, {
      fields: { "metadata.name": name },
      signal: stop.signal,
      onSynced() {
        if (known) return;
        known = true;
        onChange?.(last);
        look();
      },
      onLost: (fault) => onLost?.(fault.message),
    });
    for await (const { type, resource } of changes) {
      last = type === "removed" ? undefined : resource;
      if (known) onChange?.(last);
      look();
      if (met) break;
    }
  } finally {
    clearTimeout(timer);
  }
  return { met, known, last };
}
