/** The kinds of services: Compose projects on hosts. */
import type { Kind } from "@reeve/model";
import { Repository } from "./repository.ts";
import { Service } from "./service.ts";

export { bundleName, packBundle } from "./bundle.ts";
<<<<<<< HEAD
export type { ServiceAct, ServiceOrder, ServiceSeen } from "./kept.ts";
=======
export type { ServiceOrder, ServiceSeen } from "./kept.ts";
export { canFetch, Repository, type RepositorySpec, type RepositoryStatus } from "./repository.ts";
>>>>>>> b15d3cc (Services can have their files in a Git repository: pushed, fetched, refused with file and line, deployed by themselves, written back)
export { type Instance, Service, type ServiceSpec, type ServiceStatus, serviceStateOf } from "./service.ts";

export const servicesKinds: readonly Kind[] = [Service, Repository];
