import { NotFound } from "../shell/fallbacks.tsx";

/** Any kind's list and detail, by the address alone. */
export default function KindPage() {
  return <NotFound />;
}
