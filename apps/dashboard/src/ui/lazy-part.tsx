import { type ComponentType, useEffect, useState } from "react";

/**
 * A component in a separate file, loaded when it is first shown; `Meanwhile` takes its place until then. React's own `lazy`
 * withholds the loaded component until 300 ms after its placeholder, which is long for a menu.
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
        // Reported by the page, like an error during rendering.
        (error) =>
          setPart(() => {
            throw error;
          }),
      );
    }, [Part]);
    return Part === null ? <Meanwhile {...props} /> : <Part {...props} />;
  };
}

function Nothing() {
  return null;
}
