/** Every kind, so that a program needs this one package: `import { Project } from "@reeve/sdk/kinds"`. */
export * from "@reeve/access/kinds";
export * from "@reeve/backup/kinds";
export * from "@reeve/hosts/kinds";
export * from "@reeve/notifications/kinds";
export * from "@reeve/secrets/kinds";
export * from "@reeve/services/kinds";
export * from "@reeve/workflows/kinds";
