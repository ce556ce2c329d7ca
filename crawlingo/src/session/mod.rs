//! Sessions and pages: the one handle that fetches, and what it gives.

mod builder;
mod dataset;
mod form;
mod healing;
mod list;
mod page;
mod pool;

use std::sync::{Arc, OnceLock};

pub use builder::SessionBuilder;
pub use dataset::{
    DatasetBuilder, Extracted, FieldBuilder, after_text, before_text, css, json, jsonld, meta, microdata, regex, text,
    xpath,
};
pub use form::Form;
pub use list::ElementList;
pub use page::Page;

use healing::Healer;
use pool::Pool;

use crate::Error;
use crate::config::Config;
use crate::dataset::{Dataset, Extractor, Report};
use crate::fetch::{CookieJar, Fetch, stack};
use crate::types::{Request, Response};

/// Fetches pages. Cheap to clone: clones share connections, cookies and bounds.
///
/// ```no_run
/// # async fn example() -> Result<(), crawlingo::Error> {
/// let session = crawlingo::Session::new()?;
/// let page = session.page("https://example.org/").await?;
/// println!("{} {:?}", page.status(), page.title());
/// # Ok(())
/// # }
/// ```
///
/// A session belongs to the runtime that first used it, since its connections do; used from another, it fails with
/// `ErrorKind::Config`.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    config: Arc<Config>,
    fetch: Arc<dyn Fetch>,
    jar: CookieJar,
    pool: Pool,
    healer: Option<Healer>,
    runtime: OnceLock<tokio::runtime::Id>,
}

impl Session {
    /// A session with the defaults of [`Config`].
    ///
    /// # Errors
    /// When the transport cannot be set up.
    pub fn new() -> Result<Self, Error> {
        Self::builder().build()
    }

    /// Starts a session with options of its own.
    pub fn builder() -> SessionBuilder {
        SessionBuilder::default()
    }

    /// A session of a configuration.
    ///
    /// # Errors
    /// `ErrorKind::Config` with the option that is wrong.
    pub fn from_config(config: Config) -> Result<Self, Error> {
        Self::with_healer(config, None)
    }

    fn with_healer(config: Config, healer: Option<Healer>) -> Result<Self, Error> {
        let config = Arc::new(config);
        let jar = CookieJar::new();
        let fetch = stack(&config, &jar)?;
        let pool = Pool::new(config.parse_threads);
        Ok(Self(Arc::new(Inner { config, fetch, jar, pool, healer, runtime: OnceLock::new() })))
    }

    /// A session whose requests go to a stage of the caller's instead of the network: for tests and for other
    /// transports.
    pub fn with_fetch(config: Config, fetch: Arc<dyn Fetch>) -> Self {
        let pool = Pool::new(config.parse_threads);
        let (config, jar, runtime) = (Arc::new(config), CookieJar::new(), OnceLock::new());
        let inner = Inner { config, fetch, jar, pool, healer: None, runtime };
        Self(Arc::new(inner))
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// The cookies.
    pub fn cookies(&self) -> &CookieJar {
        &self.0.jar
    }

    /// Fetches a request. A status of 400 and above is a response like others; see [`Response::error_for_status`].
    ///
    /// # Errors
    /// `ErrorKind::Fetch` when there is no complete answer, with the kind of failure.
    pub async fn fetch(&self, request: Request) -> Result<Response, Error> {
        self.check_runtime()?;
        let span = tracing::debug_span!("fetch", url = %request.url);
        tracing::Instrument::instrument(self.0.fetch.fetch(request), span).await
    }

    /// Fetches a page by its URL and parses it.
    ///
    /// # Errors
    /// As [`fetch`](Self::fetch); a status of 400 and above is an error too, and so is an answer that is no document
    /// (an image, a PDF).
    pub async fn page(&self, url: &str) -> Result<Page, Error> {
        let page = self.open(Request::get(url)?).await?;
        page.error_for_status()
    }

    /// Fetches a request and parses the answer, whatever its status.
    ///
    /// # Errors
    /// As [`page`](Self::page), without that on the status.
    pub async fn open(&self, request: Request) -> Result<Page, Error> {
        let response = self.fetch(request).await?;
        let healer = self.0.healer.clone();
        self.0.pool.run(move || Ok(Page::from_response(response)?.with_healer(healer))).await
    }

    /// Makes a page from elsewhere, such as a file, heal as the pages do that the session fetches.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use crawlingo::heal::MemoryHealStore;
    /// use crawlingo::{Page, Session};
    /// let session = Session::builder().heal_store(Arc::new(MemoryHealStore::new())).build()?;
    /// let page = session.adopt(Page::from_html("<h1>Books</h1>", "https://example.org/")?);
    /// # Ok::<(), crawlingo::Error>(())
    /// ```
    #[must_use]
    pub fn adopt(&self, page: Page) -> Page {
        page.with_healer(self.0.healer.clone())
    }

    /// Fetches anew the pages that what is remembered of a dataset on a site was taken from, at most three, and heals on
    /// them; `url` is any of the site's. A page that was never seen says too little of where its values went in a redesign;
    /// a page that is remembered can be compared with itself, and what heals there is looked up on all others. Call it
    /// when fields abstain. Gives the reports; none where nothing is remembered, or the session has no store.
    ///
    /// ```no_run
    /// # use crawlingo::{Dataset, Session};
    /// # #[derive(Dataset)] struct Book { #[selector(css = "h1", heal)] title: Option<String> }
    /// # async fn example(session: Session) -> Result<(), crawlingo::Error> {
    /// let url = "https://example.org/books/51";
    /// let mut book: Book = session.page(url).await?.dataset()?;
    /// if book.title.is_none() && !session.revisit::<Book>(url).await?.is_empty() {
    ///     book = session.page(url).await?.dataset()?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`page`](Self::page), but for pages that are gone; and when the store cannot be read.
    pub async fn revisit<T: Dataset + 'static>(&self, url: &str) -> Result<Vec<Report>, Error> {
        let extractor = Extractor::of::<T>()?;
        let url = Request::get(url)?.url;
        let pages = match &self.0.healer {
            Some(healer) => healer.pages(&url, &extractor)?,
            None => Vec::new(),
        };
        let mut reports = Vec::new();
        for page in pages.iter().take(3) {
            let page = self.open(Request::get(page)?).await?;
            if (200..300).contains(&page.status()) {
                reports.push(page.extract(&extractor).report);
            }
        }
        Ok(reports)
    }

    /// Describes what is wanted of a page, field by field, for those who do not have it as a type:
    ///
    /// ```no_run
    /// use crawlingo::session::css;
    /// # async fn example(session: crawlingo::Session) -> Result<(), crawlingo::Error> {
    /// let books = session
    ///     .dataset("https://example.org/books")
    ///     .each(css("article"))
    ///     .field("title", css("h3 a").attr("title"))
    ///     .field("price", css(".price").price())
    ///     .build()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn dataset(&self, url: impl Into<String>) -> DatasetBuilder<'_> {
        DatasetBuilder::new(self, url.into())
    }

    /// The threads that parse and extract.
    pub(crate) fn pool(&self) -> &Pool {
        &self.0.pool
    }

    fn check_runtime(&self) -> Result<(), Error> {
        let current = tokio::runtime::Handle::try_current()
            .map_err(|_| Error::config("runtime", "a session fetches inside of a Tokio runtime; call it from one"))?;
        if *self.0.runtime.get_or_init(|| current.id()) == current.id() {
            return Ok(());
        }
        Err(Error::config("runtime", "this session was first used in another Tokio runtime; make one for each runtime"))
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("tier", &self.0.config.tier).finish_non_exhaustive()
    }
}
