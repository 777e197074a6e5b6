import { asFault, client } from "@reeve/kit";
import type { CallFault, SessionInfo } from "@reeve/sdk";
import { useCallback, useEffect, useState } from "react";

export interface Factor {
  readonly id: string;
  readonly kind: "totp" | "passkey";
  readonly name: string;
  readonly usedAt: string;
}

/** How a person signs in, and where they have. */
export interface Security {
  readonly factors: readonly Factor[];
  readonly recoveryCodes: number;
  readonly sessions: readonly SessionInfo[];
}

/** Read anew after each change: these are no resources, so there is nothing to watch. */
export function useSecurity(): {
  security: Security | undefined;
  fault: CallFault | undefined;
  read: () => Promise<void>;
} {
  const [security, setSecurity] = useState<Security>();
  const [fault, setFault] = useState<CallFault>();
  const read = useCallback(async () => {
    try {
      const [factors, sessions] = await Promise.all([
        client.send({ path: "/api/v1/factors" }),
        client.sessions(),
      ]);
      const { items, recoveryCodes } = factors.body as { items: Factor[]; recoveryCodes: number };
      setSecurity({ factors: items, recoveryCodes, sessions });
    } catch (error) {
      setFault(asFault(error));
    }
  }, []);
  useEffect(() => void read(), [read]);
  return { security, fault, read };
}
