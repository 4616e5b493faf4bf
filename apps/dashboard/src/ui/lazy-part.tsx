import { type ComponentType, useEffect, useState } from "react";
import { isMissingFile, reportMissingFile } from "./missing-file.ts";

/**
 * A component in a separate file, loaded when it is first shown; `Meanwhile` takes its place until then, and also if the file is
 * gone because the server was upgraded: then the frame of the page asks for a reload. React's own `lazy` withholds the loaded
 * component until 300 ms after its placeholder, which is long for a menu.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Meanwhile: ComponentType<Props> = Nothing,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return function LazyPart(props: Props) {
    const [Part, setPart] = useState(() => loaded);
    useEffect(() => {
      if (Part !== null) return;
      load().then(
        (part) => {
          loaded = part;
          setPart(() => part);
        },
        (error) => {
          if (isMissingFile(error)) return reportMissingFile();
          // Reported by the page, like an error during rendering.
          setPart(() => {
            throw error;
          });
        },
      );
    }, [Part]);
    return Part === null ? <Meanwhile {...props} /> : <Part {...props} />;
  };
}

function Nothing() {
  return null;
}
