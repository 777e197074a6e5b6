/** The chain of the audit: records, heads, proof. Not in the index, because hashes and signatures are Node's: browsers do without. */
export * from "./audit-chain.ts";
export * from "./audit-head.ts";
export * from "./audit-proof.ts";
