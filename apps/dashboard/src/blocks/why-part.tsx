import type { ReactNode } from "react";

/** A titled section of the panel. */
export function WhyPart({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="m-0 mb-1.5 text-sm">{title}</h3>
      {children}
    </section>
  );
}
