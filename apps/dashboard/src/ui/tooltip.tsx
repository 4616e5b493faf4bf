import { useEffect, useState } from "react";
import { lazyPart } from "./lazy-part.tsx";

const TooltipPopup = lazyPart(async () => (await import("./tooltip-popup.tsx")).TooltipPopup);

const hoverMs = 350;

/** The attributes of an element with a tooltip. Essential information is never in a tooltip alone. */
export const tooltipOf = (text: string | undefined): { "data-tooltip"?: string } =>
  text === undefined ? {} : { "data-tooltip": text };

interface Shown {
  anchor: Element;
  text: string;
}

/**
 * Shows the tooltip of the hovered or focused element. One for the whole document: separate tooltips would cost more than all
 * other parts of a button.
 */
export function Tooltips() {
  const [shown, setShown] = useState<Shown | null>(null);
  useEffect(() => listen(setShown), []);
  return shown && <TooltipPopup {...shown} onClose={() => setShown(null)} />;
}

function listen(show: (shown: Shown | null) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let rested: Element | null = null;
  function hide(): void {
    clearTimeout(timer);
    show(null);
  }
  function onPointerOver({ target, pointerType }: PointerEvent): void {
    const anchor = pointerType === "touch" ? null : anchorOf(target);
    if (anchor === rested) return;
    rested = anchor;
    hide();
    if (anchor !== null) timer = setTimeout(() => show(read(anchor)), hoverMs);
  }
  function onFocusIn({ target }: FocusEvent): void {
    const anchor = anchorOf(target);
    if (anchor?.matches(":focus-visible")) show(read(anchor));
  }
  const listening = new AbortController();
  const options = { signal: listening.signal };
  document.addEventListener("pointerover", onPointerOver, options);
  document.addEventListener("focusin", onFocusIn, options);
  document.addEventListener("focusout", hide, options);
  document.addEventListener("pointerdown", hide, options);
  return () => {
    clearTimeout(timer);
    listening.abort();
  };
}

const anchorOf = (target: EventTarget | null): Element | null =>
  target instanceof Element ? target.closest("[data-tooltip]") : null;

/** Null if the element was removed. */
function read(anchor: Element): Shown | null {
  const text = anchor.getAttribute("data-tooltip");
  return text === null || !anchor.isConnected ? null : { anchor, text };
}
