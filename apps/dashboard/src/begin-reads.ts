import { beginReads } from "./api/ahead.ts";

// A separate script that index.html loads before the script of the pages; see vite.config.ts.
beginReads(window.location.pathname);
