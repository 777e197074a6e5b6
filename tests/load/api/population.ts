/** Who lives in the installation under test: real kinds only, spread evenly, known by number to every process. */
export const organization = "bench";
export const projectCount = 50;

export interface Manifest {
  readonly apiVersion: "reeve/v1";
  readonly kind: string;
  readonly metadata: {
    readonly scope: string;
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

export function projects(): Manifest[] {
  return Array.from({ length: projectCount }, (_, index) => ({
    apiVersion: "reeve/v1",
    kind: "Project",
    metadata: { scope: organization, name: projectName(index), labels: { tier: "bench" } },
    spec: { displayName: `Project ${index}` },
  }));
}

/** The account of this number. Numbers from the population's size on are new ones. */
export function account(
  index: number,
  description = `Deploys service ${index} from its pipeline.`,
): Manifest {
  const rank = Math.floor(index / projectCount);
  return {
    apiVersion: "reeve/v1",
    kind: "ServiceAccount",
    metadata: {
      scope: `${organization}/${projectName(index)}`,
      name: accountName(index),
      // Half of a project is `tier=web`. A hundredth of everything is of one team: a full page already at 10,000.
      labels: { tier: rank % 2 === 0 ? "web" : "data", team: teamName(rank), "managed-by": "bench" },
    },
    spec: { description },
  };
}

export const teamCount = 100;

export function teamName(index: number): string {
  return `team-${String(index % teamCount).padStart(2, "0")}`;
}

export function projectName(index: number): string {
  return `project-${String(index % projectCount).padStart(2, "0")}`;
}

function accountName(index: number): string {
  return `account-${String(index).padStart(7, "0")}`;
}

export function collectionPath(project: number): string {
  return `/api/v1/organizations/${organization}/projects/${projectName(project)}/serviceaccounts`;
}

export function accountPath(index: number): string {
  return `${collectionPath(index)}/${accountName(index)}`;
}

/** Walks over the whole population in a scattered order without repeating one: the step shares no factor with the size. */
export function scattered(turn: number, size: number): number {
  let step = Math.floor(size * 0.618);
  while (gcd(step, size) !== 1) step++;
  return (turn * step) % size;
}

function gcd(one: number, other: number): number {
  return other === 0 ? one : gcd(other, one % other);
}
