/**
 * The wire: what `.proto` files in proto/ say, as generated code. `npm run generate` makes gen/ anew. Field numbers are
 * for ever: what is gone is `reserved`.
 */
export * from "./gen/reeve/v1/agent_service_pb.js";
export * from "./gen/reeve/v1/peer_service_pb.js";
export * from "./gen/reeve/v1/problem_pb.js";
export * from "./gen/reeve/v1/resource_pb.js";
export * from "./gen/reeve/v1/resource_service_pb.js";
