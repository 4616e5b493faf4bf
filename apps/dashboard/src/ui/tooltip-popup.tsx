import { Tooltip as Base } from "@base-ui/react/tooltip";

/** A tooltip beside its anchor. Loaded when the first one is shown. */
export function TooltipPopup({ anchor, text, onClose }: { anchor: Element; text: string; onClose(): void }) {
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} sideOffset={6} className="pointer-events-none z-50">
          <Base.Popup
            role="tooltip"
            className="max-w-72 rounded-sm border border-line bg-panel px-2 py-1 text-xs text-ink"
          >
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
