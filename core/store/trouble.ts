import { Fault } from "@reeve/model";

/**
 * What a database error means for us; the only place that knows the codes.
 * - `again`: nothing was done, the same transaction may be run again at once (serialisation, deadlock, a lost race);
 * - `away`: the database or the connection to it is gone for now;
 * - `short`: it is there and lacks something (room on its disk, memory, time): nothing was done, and only somebody else can help;
 * - `final`: the statement is wrong; trying again would not help.
 */
export type Trouble = "again" | "away" | "short" | "final";

const againCodes = new Set(["40001", "40P01", "CR000"]);
/** Two replicas made the same name, or used the same key, at once: run again, the second now sees the first. */
const lostRaces = new Set(["resource_address", "idempotency_pkey"]);
const awayCodes = new Set([
  "57P01", // admin shutdown
  "57P02", // crash shutdown
  "57P03", // starting up
  "57P05", // idle session timeout
  "25006", // read-only: we reached a standby during a failover
  "25P03", // idle in transaction timeout
  "53300", // too many connections
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOENT", // the embedded server's socket is not there yet
  "EAGAIN", // nor are more let wait at it: the server does not get to them
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
]);

/** What it lacks, and what whoever runs it does about that. */
interface Shortage {
  readonly what: string;
  readonly remedy: string;
}

const tooSlow: Shortage = {
  what: "the database took too long",
  remedy: "try again; if it stays so, look for what keeps it busy: long queries, locks, a slow disk",
};
const shortages: Readonly<Record<string, Shortage>> = {
  "53100": { what: "the database's disk is full", remedy: "make room on it, or make it larger" },
  "53200": {
    what: "the database is out of memory",
    remedy: "give its machine more memory, or lower work_mem and the number of connections",
  },
  "58030": {
    what: "the database cannot read or write its files",
    remedy: "look at the log of Postgres: its disk may be full, read-only or failing",
  },
  "57014": tooSlow,
  "55P03": tooSlow,
};

export function troubleOf(error: unknown): Trouble {
  const code = codeOf(error);
  if (againCodes.has(code)) return "again";
  if (code === "23505" && lostRaces.has(String(constraintOf(error)))) return "again";
  if (awayCodes.has(code) || code.startsWith("08")) return "away";
  if (Object.hasOwn(shortages, code)) return "short";
  if (
    error instanceof Error &&
    /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout|not queryable|Cannot use a pool after calling end/.test(
      error.message,
    )
  )
    return "away";
  return "final";
}

export function awayFault(cause: unknown): Fault {
  return new Fault("unavailable", "the database cannot be reached right now", {
    next: "try again in a moment; with an Idempotency-Key a repeat is safe even if the first try was carried out",
    retryAfterMs: 2000,
    cause,
  });
}

export function againFault(cause: unknown): Fault {
  return new Fault("unavailable", "others kept changing the same at the same time", {
    next: "nothing was changed: try again in a moment; if it stays so, let fewer write to the same at once",
    retryAfterMs: 2000,
    cause,
  });
}

export function shortFault(cause: unknown): Fault {
  const { what, remedy } = shortages[codeOf(cause)] as Shortage;
  return new Fault("unavailable", what, {
    next: `nothing was changed. Whoever runs the database: ${remedy}; Reeve goes on by itself`,
    retryAfterMs: 10_000,
    cause,
  });
}

function codeOf(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

function constraintOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "constraint" in error ? error.constraint : undefined;
}
