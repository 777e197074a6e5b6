import { readPath, useKinds, usePath } from "@reeve/kit";
import { NotFound } from "../shell/fallbacks.tsx";
import { CreateResource } from "./create-resource.tsx";
import { EditResource } from "./edit-resource.tsx";
import { KindList } from "./kind-list.tsx";
import { ResourceDetail } from "./resource-detail.tsx";

/** Any kind's list, a resource of it, and where one is made or changed: by the address alone. */
export default function KindPage() {
  const { scope, rest, task } = readPath(usePath());
  const [plural, name, ...more] = rest;
  const kind = useKinds().find((one) => one.plural === plural);
  if (kind === undefined || more.length > 0) return <NotFound />;
  const at = { kind, scope };
  if (name === undefined) {
    if (task === "edit") return <NotFound />;
    return task === "new" ? <CreateResource key={kind.name} {...at} /> : <KindList key={kind.name} {...at} />;
  }
  const key = `${kind.name} ${scope} ${name}`;
  if (task === "new") return <NotFound />;
  return task === "edit" ? (
    <EditResource key={key} {...at} name={name} />
  ) : (
    <ResourceDetail key={key} {...at} name={name} />
  );
}
