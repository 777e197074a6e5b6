import type { JoinTokenText, Origin } from "@reeve/model";
import type { HostOfAgent, Sql } from "@reeve/store";

/** Who may join, and what becomes of a machine that does. The core knows agents; one area knows hosts. */
export interface Enrolment {
  /** Uses the token and makes the host, or finds the one that waits for its agent. Throws a Fault. */
  join(request: JoinRequest): Promise<HostOfAgent>;
  /** Says that this agent renews by an identity that the backup did not know, in one transaction with the renewal. */
  renewsAfterRestore(uid: string, write: (sql: Sql) => Promise<void>): Promise<void>;
  /** Somebody has a copy of this agent's identity: revokes it, and says so. */
  cloned(uid: string): Promise<void>;
  /** How many join tokens still work that were issued before this time. */
  tokensSince(before: string): Promise<number>;
}

export interface JoinRequest {
  readonly token: JoinTokenText;
  /** The name and the labels it would like. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly origin: Origin;
  /** Writes the agent's row, in the transaction in which the token is used. */
  readonly write: (sql: Sql, host: HostOfAgent) => Promise<void>;
}
