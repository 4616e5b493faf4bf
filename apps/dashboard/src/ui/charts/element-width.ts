import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** The width of an element in pixels, kept up to date; `initial` until it is laid out. */
export function useElementWidth<E extends HTMLElement>(initial = 400): [RefObject<E | null>, number] {
  const element = useRef<E>(null);
  const [width, setWidth] = useState(initial);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    setWidth(current.clientWidth);
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
