import { nice, ticks } from "d3-array";
import { area, line } from "d3-shape";
import { type KeyboardEvent, type MouseEvent, useId } from "react";
import { classNames } from "../class-names.ts";
import { unknown } from "../format.ts";
import { useChartCursor } from "./chart-cursor.tsx";
import { useElementWidth } from "./element-width.ts";

export interface Series {
  key: string;
  label: string;
  /** One for each point in time; null leaves a gap in the line. */
  values: readonly (number | null)[];
  /** A `text-...` class: the mark uses the text colour. */
  color: string;
  isDashed?: boolean;
}

export interface TimeChartProps {
  title: string;
  /** One label for each value on the axis. */
  labels: readonly string[];
  series: readonly Series[];
  /** Formats a value with its unit. */
  format(value: number): string;
  kind: "lines" | "stacked";
  /** Fixes the upper end of the axis, such as 1 for shares; by default the greatest value. */
  most?: number;
  height?: number;
  /** The figure for the whole window, beside the title. */
  total?: string | undefined;
  /** Opens what one point in time counts: Enter, or a click at the cursor. */
  onOpen?: ((index: number) => void) | undefined;
  /** The name of what `onOpen` shows. */
  opened?: string;
}

const left = 44;
const right = 8;
const top = 6;
const bottom = 20;

/** Values over time as lines or stacked bars. The legend shows the values at the cursor; arrow keys move it. */
export function TimeChart(props: TimeChartProps) {
  const { title, labels, series, format, kind, most, height = 150, total, onOpen, opened = "traces" } = props;
  const [element, width] = useElementWidth<HTMLDivElement>();
  const [cursor, setCursor] = useChartCursor();
  const id = useId();
  const sums = labels.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const greatest =
    kind === "stacked"
      ? Math.max(0, ...sums)
      : Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const highest = most ?? nice(0, greatest || 1, 3)[1];
  const y = (value: number): number => height - bottom - (value / highest) * (height - bottom - top);
  const step = (width - left - right) / Math.max(1, labels.length);
  const x = (index: number): number => left + step * (index + 0.5);
  const shown = cursor !== null && cursor < labels.length ? cursor : null;
  const read = (values: readonly (number | null)[]): string => {
    const value = shown === null ? null : values[shown];
    return value == null ? unknown : format(value);
  };

  function indexAt(event: MouseEvent): number {
    const offset = event.clientX - event.currentTarget.getBoundingClientRect().left - left;
    return Math.min(labels.length - 1, Math.max(0, Math.floor(offset / step)));
  }
  function onClick(event: MouseEvent): void {
    const index = indexAt(event);
    const { nativeEvent } = event;
    const isMouse = nativeEvent instanceof PointerEvent && nativeEvent.pointerType === "mouse";
    // A finger has no cursor: the first touch shows the values.
    if (isMouse || index === shown) onOpen?.(index);
    else setCursor(index);
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Enter" && shown !== null) onOpen?.(shown);
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (move === undefined) return;
    event.preventDefault();
    setCursor(Math.min(labels.length - 1, Math.max(0, (shown ?? (move > 0 ? -1 : labels.length)) + move)));
  }

  return (
    <figure className="m-0 min-w-0">
      <figcaption className="flex min-h-5 flex-wrap items-baseline gap-x-3 text-xs text-soft">
        <span className="text-sm font-medium text-ink">{title}</span>
        {total !== undefined && <span>{total}</span>}
        <span id={id} aria-live="polite" className="ml-auto flex flex-wrap gap-x-3">
          {shown !== null && <span className="text-faint">{labels[shown]}</span>}
          {series.map(({ key, label, values, color }) => (
            <span key={key} className="inline-flex items-center gap-1">
              <span aria-hidden className={classNames("h-2 w-2 rounded-xs bg-current", color)} />
              {label}
              {shown !== null && <b className="font-medium text-ink tabular-nums">{read(values)}</b>}
            </span>
          ))}
        </span>
      </figcaption>
      <div
        ref={element}
        tabIndex={0}
        role="group"
        aria-label={`${title} over time; arrow keys read values${onOpen === undefined ? "" : `, Enter opens their ${opened}`}`}
        className={onOpen && "cursor-pointer"}
        onClick={onClick}
        onKeyDown={onKeyDown}
        onBlur={() => setCursor(null)}
      >
        <svg
          width={width}
          height={height}
          aria-hidden
          // A mark under the pointer may be removed while the button is down, and the browser would drop the click.
          className="block overflow-visible **:pointer-events-none"
          onPointerMove={(event) => setCursor(indexAt(event))}
          onPointerLeave={() => setCursor(null)}
        >
          {ticks(0, highest, 3).map((tick) => (
            <g key={tick}>
              <line x1={left} x2={width - right} y1={y(tick)} y2={y(tick)} className="stroke-line" />
              <text x={left - 6} y={y(tick)} dy="0.32em" textAnchor="end" className="fill-faint text-[11px]">
                {format(tick)}
              </text>
            </g>
          ))}
          {shown !== null && (
            <rect x={left + step * shown} width={step} y={top} height={height - bottom - top} className="fill-hover" />
          )}
          {kind === "stacked" ? (
            <Bars series={series} x={x} y={y} width={Math.max(1, Math.min(28, step - 2))} count={labels.length} />
          ) : (
            <Lines series={series} x={x} y={y} />
          )}
          <TimeLabels labels={labels} x={x} y={height - 5} width={width} />
        </svg>
      </div>
    </figure>
  );
}

interface Scaled {
  series: readonly Series[];
  x(index: number): number;
  y(value: number): number;
}

function Lines({ series, x, y }: Scaled) {
  const path = line<number | null>()
    .defined((value) => value !== null)
    .x((_, index) => x(index))
    .y((value) => y(value ?? 0));
  const ground = area<number | null>()
    .defined((value) => value !== null)
    .x((_, index) => x(index))
    .y0(y(0))
    .y1((value) => y(value ?? 0));
  return series.map(({ key, values, color, isDashed }, index) => (
    <g key={key} className={color}>
      {index === 0 && <path d={ground([...values]) ?? undefined} fill="currentColor" opacity="0.08" />}
      <path
        d={path([...values]) ?? undefined}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeDasharray={isDashed ? "4 3" : undefined}
      />
      {values.map((value, at) => {
        const isAlone = value !== null && values[at - 1] == null && values[at + 1] == null;
        return isAlone && <circle key={x(at)} cx={x(at)} cy={y(value)} r="2.5" fill="currentColor" />;
      })}
    </g>
  ));
}

function Bars({ series, x, y, width, count }: Scaled & { width: number; count: number }) {
  return Array.from({ length: count }, (_, index) => {
    let below = 0;
    return (
      <g key={x(index)}>
        {series.map(({ key, values, color }) => {
          const from = below;
          below += values[index] ?? 0;
          const size = y(from) - y(below);
          return (
            size > 0 && (
              <rect
                key={key}
                x={x(index) - width / 2}
                width={width}
                y={y(below)}
                height={size}
                fill="currentColor"
                className={color}
              />
            )
          );
        })}
      </g>
    );
  });
}

/** As many labels as fit, always with the first and the last. */
function TimeLabels({
  labels,
  x,
  y,
  width,
}: {
  labels: readonly string[];
  x(index: number): number;
  y: number;
  width: number;
}) {
  const every = Math.max(1, Math.ceil((labels.length * 64) / width));
  return labels.map((label, index) => {
    if ((labels.length - 1 - index) % every !== 0) return null;
    return (
      <text key={label} x={x(index)} y={y} textAnchor="middle" className="fill-faint text-[11px]">
        {label}
      </text>
    );
  });
}
