import type { ReactNode } from "react";

/** Icons are drawn on a 16-pixel grid with one stroke width; they are used beside a word or in a button with a label. */
function icon(shape: ReactNode) {
  return function Icon({ className = "size-4" }: { className?: string }) {
    return (
      <svg
        viewBox="0 0 16 16"
        aria-hidden="true"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        className={`shrink-0 ${className}`}
      >
        {shape}
      </svg>
    );
  };
}

export const OverviewIcon = icon(<path d="M2 13V8.5M6 13V5M10 13V9.5M14 13V3" />);
export const TracesIcon = icon(<path d="M2 3.5h8M4.5 8H14M7 12.5h5" />);
export const SessionsIcon = icon(<path d="M2.5 3h11v7.5H8L5 13v-2.5H2.5z" />);
export const InboxIcon = icon(<path d="M2 9.5 4 3h8l2 6.5V13H2zM2 9.5h3.5l1 1.5h3l1-1.5H14" />);
export const DatasetsIcon = icon(
  <>
    <ellipse cx="8" cy="4" rx="5.5" ry="2" />
    <path d="M2.5 4v8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2V4M2.5 8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2" />
  </>,
);
export const RunsIcon = icon(<path d="M4 2.5v11l9-5.5z" />);
export const GatesIcon = icon(<path d="M3 14V3h10v11M3 6.5h10M8 6.5V14" />);
export const JudgesIcon = icon(<path d="M8 2v11.5M4.5 13.5h7M3 4.5h10M3 4.5 1.5 9h3zM13 4.5 11.5 9h3z" />);
export const PromptsIcon = icon(<path d="M2.5 3h11v8h-6l-3 2.5V11h-2zM5 6h6M5 8.5h4" />);
export const AgentsIcon = icon(
  <>
    <rect x="3" y="5" width="10" height="8" rx="2" />
    <path d="M8 5V2.5M6 9h.01M10 9h.01" />
  </>,
);
export const SettingsIcon = icon(<path d="M2 4.5h7M12.5 4.5H14M2 11.5h2M7.5 11.5H14M10.7 3v3M5.8 10v3" />);
export const SearchIcon = icon(
  <>
    <circle cx="7" cy="7" r="4.5" />
    <path d="m10.5 10.5 3.5 3.5" />
  </>,
);
export const CloseIcon = icon(<path d="m4 4 8 8M12 4l-8 8" />);
export const CopyIcon = icon(<path d="M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8z" />);
export const CheckIcon = icon(<path d="m3 8.5 3.5 3.5L13 4.5" />);
export const ChevronDownIcon = icon(<path d="m4 6 4 4 4-4" />);
export const ChevronRightIcon = icon(<path d="m6 4 4 4-4 4" />);
export const ChevronLeftIcon = icon(<path d="m10 4-4 4 4 4" />);
export const PlusIcon = icon(<path d="M8 3v10M3 8h10" />);
export const MoreIcon = icon(<path d="M3.5 8h.01M8 8h.01M12.5 8h.01" />);
export const FilterIcon = icon(<path d="M2 3.5h12L9.5 8.5V13l-3-1.5v-3z" />);
export const SunIcon = icon(
  <>
    <circle cx="8" cy="8" r="3" />
    <path d="M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7" />
  </>,
);
export const MoonIcon = icon(<path d="M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z" />);
export const LinkIcon = icon(
  <path d="M6.5 9.5 9.5 6.5M7 4.5l1.5-1.5a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5 7.5 13A3 3 0 0 1 3 8.500L4.500 7" />,
);
export const ExternalIcon = icon(<path d="M6 3.5H3v9.500h9.500V10M9 2.500h4.500V7M13 3 7.500 8.500" />);
export const ErrorIcon = icon(<path d="M8 1.500 15 14H1zM8 6v4M8 12h.01" />);
export const ThumbUpIcon = icon(
  <path d="M5 7v6.500H2.500V7zM5 7l2.500-5c1 0 1.700.8 1.500 2l-.4 2.500H13c.8 0 1.300.8 1 1.500l-1.300 4.500a1.500 1.500 0 0 1-1.400 1H5" />,
);
export const ThumbDownIcon = icon(
  <path d="M11 9V2.500h2.500V9zM11 9l-2.500 5c-1 0-1.700-.8-1.500-2l.4-2.500H3c-.8 0-1.300-.8-1-1.500l1.300-4.500a1.500 1.500 0 0 1 1.400-1H11" />,
);
export const DownloadIcon = icon(<path d="M8 2v8.500M4.500 7 8 10.500 11.500 7M2.500 13.500h11" />);
export const UploadIcon = icon(<path d="M8 10.500V2M4.500 5.500 8 2l3.500 3.500M2.500 13.500h11" />);
export const TrashIcon = icon(<path d="M2.500 4h11M6 4V2.500h4V4M4 4l.7 9.500h6.600L12 4" />);
export const EditIcon = icon(<path d="M2.500 13.500 3.300 10.500 10.800 3l2.200 2.200L5.500 12.700z" />);
export const LiveIcon = icon(
  <>
    <circle cx="8" cy="8" r="1.500" />
    <path d="M4.500 4.500a5 5 0 0 0 0 7M11.500 4.500a5 5 0 0 1 0 7" />
  </>,
);
export const ToolIcon = icon(
  <path d="M13.500 4.500 11.200 6.800 9.200 4.800l2.300-2.300a3.500 3.500 0 0 0-4.700 4.300L2.500 11.100l2.400 2.400 4.300-4.300a3.500 3.500 0 0 0 4.300-4.700z" />,
);
export const EmbeddingIcon = icon(
  <path d="M3 3h.01M8 3h.01M13 3h.01M3 8h.01M8 8h.01M13 8h.01M3 13h.01M8 13h.01M13 13h.01" />,
);
export const RankIcon = icon(<path d="M4.500 13V3M2.500 5l2-2 2 2M9 4h5M9 8h3.500M9 12h2" />);
export const GuardrailIcon = icon(
  <path d="M8 1.500 13.500 3.500V8c0 3-2.300 5.300-5.500 6.500C4.800 13.300 2.500 11 2.500 8V3.500z" />,
);
export const FoldIcon = icon(<path d="M3 8h10M8 1.500V5M6 3.500 8 5.500l2-2M8 14.500V11M6 12.500 8 10.500l2 2" />);
