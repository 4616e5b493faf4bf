import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";

/** Goes on to an address as who has just signed in: nothing that was read before, by nobody or by somebody else, stays. */
export function useGoOn(): (next: string | null) => void {
  const queries = useQueryClient();
  const router = useRouter();
  return (next) => {
    queries.clear();
    router.history.push(next ?? "/");
  };
}
