/** In a place with nothing in it. */
export function Blank({ title, hint }: { readonly title: string; readonly hint?: string }) {
  return (
    <div class="blank">
      <strong>{title}</strong>
      {hint !== undefined && <p>{hint}</p>}
    </div>
  );
}
