/** What an image without a registry in its name is of. */
export const dockerHub = "docker.io";

/** `nginx` is docker.io/library/nginx:latest. */
export function fullName(name: string): string {
  const [first = "", ...rest] = name.split("/");
  const isHost = rest.length > 0 && /[.:]|^localhost$/.test(first);
  const whole = isHost ? name : `${dockerHub}/${rest.length === 0 ? "library/" : ""}${name}`;
  return /@|:[^/]*$/.test(whole) ? whole : `${whole}:latest`;
}

export function repositoryOf(whole: string): string {
  return whole.replace(/@.*$/, "").replace(/:[^/]*$/, "");
}

/** The host of the registry that the name leads to. */
export function registryOf(name: string): string {
  return fullName(name).split("/")[0] ?? dockerHub;
}
