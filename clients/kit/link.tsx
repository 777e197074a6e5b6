import { useRouter } from "@tanstack/react-router";
import type { ComponentProps, MouseEvent } from "react";

/** A link to a page of the console, by an address that `paths` made. */
export function PageLink({
  to,
  onClick,
  ...rest
}: Omit<ComponentProps<"a">, "href"> & { readonly to: string }) {
  const go = useGo();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (event.defaultPrevented || elsewhere || (rest.target ?? "_self") !== "_self") return;
    event.preventDefault();
    go(to);
  };
  return <a {...rest} href={to} onClick={follow} />;
}

/** Goes to a page of the console. */
export function useGo(): (to: string, options?: { readonly replace?: boolean }) => void {
  const { history } = useRouter();
  return (to, { replace = false } = {}) => (replace ? history.replace(to) : history.push(to));
}
