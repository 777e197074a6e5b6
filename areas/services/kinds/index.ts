/** The kinds of services: Compose projects on hosts. */
import type { Kind } from "@reeve/model";
import { Repository } from "./repository.ts";
import { Service } from "./service.ts";

export { bundleName, openedName, packBundle } from "./bundle.ts";
export {
  type AdoptedEnvironment,
  adoptedService,
  changeWords,
  environmentOf,
  type FoundFiles,
  type FoundProject,
} from "./found.ts";
export type { Instance } from "./instance.ts";
export type { Registry, ServiceAct, ServiceOrder, ServiceSeen } from "./kept.ts";
export { Repository, type RepositorySpec, type RepositoryStatus, repositoryPushes } from "./repository.ts";
export { Service, type ServiceSpec, type ServiceStatus, serviceStateOf } from "./service.ts";
export { type PruneChoice, type Pruned, type StorageItem, toPrune } from "./storage.ts";

export const servicesKinds: readonly Kind[] = [Service, Repository];
