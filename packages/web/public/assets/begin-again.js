/**
 * Loads the page again, a few times, if not all of its parts came, or if a part that is loaded later is gone. While gateways of two versions run, a
 * gateway of the one may be asked for a part of the other, and does not have it (decision 0058). Plain JavaScript at a fixed name that every version
 * has: browsers run it unchanged.
 */
(() => {
  const name = 'parley/loads';
  const loadsMax = 6;
  const firstDelayMs = 500;
  /** Whatever is missed after the page has been whole for so long is another matter. */
  const calmMs = 60_000;

  // Once for each page: several parts may be missed at once.
  let loads = Number(sessionStorage.getItem(name));

  /** @returns whether it will */
  const loadAgain = () => {
    if (loads >= loadsMax) return false;
    sessionStorage.setItem(name, loads + 1);
    setTimeout(() => location.reload(), firstDelayMs * 2 ** loads);
    return true;
  };

  const forget = () => {
    loads = 0;
    sessionStorage.removeItem(name);
  };

  addEventListener('load', () => {
    const app = document.querySelector('#app');
    const styles = [...document.querySelectorAll('link[rel="stylesheet"]')];
    const isWhole = app.hasChildNodes() && styles.every(({ sheet }) => sheet !== null);
    if (isWhole) setTimeout(forget, calmMs);
    else if (!loadAgain()) {
      forget();
      app.textContent = 'Parts of this page did not come. Load it again in a minute.';
    }
  });

  // Without an answer the page stays: the part may be there later.
  addEventListener('vite:preloadError', () => {
    const script = document.querySelector('script[type="module"]');
    fetch(script.getAttribute('src'), { method: 'HEAD', cache: 'no-store' }).then(
      ({ status }) => status === 404 && loadAgain(),
      () => undefined,
    );
  });
})();
