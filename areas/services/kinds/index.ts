/** The kinds of services: Compose projects on hosts. */
import type { Kind } from "@reeve/model";
import { Repository } from "./repository.ts";
import { Service } from "./service.ts";

export { bundleName, packBundle } from "./bundle.ts";
export type { ServiceAct, ServiceOrder, ServiceSeen } from "./kept.ts";
export { canFetch, Repository, type RepositorySpec, type RepositoryStatus } from "./repository.ts";
export { type Instance, Service, type ServiceSpec, type ServiceStatus, serviceStateOf } from "./service.ts";

export const servicesKinds: readonly Kind[] = [Service, Repository];
