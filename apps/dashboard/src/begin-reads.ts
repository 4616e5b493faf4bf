import { beginReads } from "./api/ahead.ts";

// A separate script, which index.html loads before that of the pages; see vite.config.ts.
beginReads(window.location.pathname);
