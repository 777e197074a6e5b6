import { Alert } from "@mantine/core";
import { Age, tell, useConnection, useNow } from "@reeve/kit";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useEffect, useRef } from "react";

/** A connection that comes back at once was never missed. */
const patienceMs = 2000;

/** Says that the connection is lost and since when, and that it is back. */
export function ConnectionBanner() {
  const { state, since } = useConnection();
  const now = useNow();
  const shown = state === "lost" && now - since.getTime() > patienceMs;
  const told = useRef(false);
  useEffect(() => {
    if (shown) told.current = true;
    if (state !== "live" || !told.current) return;
    told.current = false;
    tell("Connected again. What you see is live.");
  }, [shown, state]);
  if (!shown) return null;
  return (
    <Alert color="orange" icon={<IconPlugConnectedX />} mb="md" role="status" title="The connection is lost">
      Since <Age at={since.toISOString()} />. What you see may have changed; the connection is tried again by
      itself.
    </Alert>
  );
}
