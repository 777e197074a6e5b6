import { useEffect, useState } from "react";

/** The time, told anew while it matters. */
export function useNow(matters: boolean, everyMs = 1000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!matters) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [matters, everyMs]);
  return now;
}
