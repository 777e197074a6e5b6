import { uptime } from "node:os";

/** Milliseconds that nobody can set and that also pass while the host sleeps; what leases are measured by. */
export const steadyNow = (): number => uptime() * 1000;
