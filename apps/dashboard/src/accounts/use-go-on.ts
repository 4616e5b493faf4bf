import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";

/** Goes to an address after sign-in: no data that was loaded before, signed out or as another user, is kept. */
export function useGoOn(): (next: string | null) => void {
  const queries = useQueryClient();
  const router = useRouter();
  return (next) => {
    queries.clear();
    router.history.push(next ?? "/");
  };
}
